// What a compiler says of failures that are made of a code: the parameters of the code, and no others.
import { makeFault, toolResult } from './notes-errors/index.ts';

toolResult(makeFault('NOTE_NOT_FOUND', { id: 'n-1' }));
toolResult(makeFault('INTERNAL_ERROR'));
// @ts-expect-error: the id is a text.
makeFault('NOTE_NOT_FOUND', { id: 1 });
// @ts-expect-error: the id is required.
makeFault('NOTE_NOT_FOUND');
// @ts-expect-error: there is no such parameter.
makeFault('NOTE_NOT_FOUND', { id: 'n-1', name: 'x' });
// @ts-expect-error: there is no such code.
makeFault('NOTE_NOT_FUOND', { id: 'n-1' });
