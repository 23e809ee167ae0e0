// Builds dist/esm and dist/cjs with the installed TypeScript. Which of both a file becomes is said by the nearest package.json, so the
// sources of dist/cjs are copied below one of their own.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const cjs = `${here}dist/cjs`;
const tsc = createRequire(import.meta.url).resolve('typescript/package.json').replace(/package\.json$/, 'bin/tsc');
const run = (folder) => execFileSync(process.execPath, [tsc, '-p', folder], { stdio: 'inherit' });
const put = (name, value) => writeFileSync(`${cjs}/${name}`, `${JSON.stringify(value)}\n`);

rmSync(`${here}dist`, { recursive: true, force: true });
run(here);
mkdirSync(cjs);
cpSync(`${here}src`, `${cjs}/src`, { recursive: true });
put('package.json', { type: 'commonjs' });
put('tsconfig.json', { extends: '../../tsconfig.json', compilerOptions: { verbatimModuleSyntax: false, rootDir: 'src', outDir: '.' }, include: ['src'], exclude: [] });
run(cjs);
for (const name of ['src', 'tsconfig.json']) rmSync(`${cjs}/${name}`, { recursive: true });
