// The answer of a tool that failed, as the official SDKs send it.
import { bounded } from './bound.ts';
import { card } from './card.ts';
import { FAULT_KEY, LIMITS, TOOL_FAILURE_KEY, type Dialect } from './facts.ts';
import { cutBytes } from './text.ts';
import type { Fault, JsonObject } from './types.ts';
import { rpcError, write, type Stamp } from './write.ts';

/** The result of a failed call. */
export interface ToolResult {
  [key: string]: unknown;
  resultType: 'complete';
  content: { type: 'text'; text: string }[];
  structuredContent?: JsonObject;
  isError: true;
  _meta: JsonObject;
}

/** How a failed call is answered. */
export interface AnswerOptions extends Stamp {
  /** Whether the tool declares an `outputSchema`: clients refuse a structured failure that does not fit it. */
  hasOutputSchema?: boolean;
  /** The shape of the envelope. */
  dialect?: Dialect;
}

/** Stagewright sends longer answers as text only. */
const MAX_STRUCTURED_CHARS = 50_000;

/** The answer of a tool that failed: a card or a document for the model, and the envelope for the program. */
export function toolResult(fault: Fault, options: AnswerOptions = {}): ToolResult {
  return resultOf(bounded(fault), options);
}

/** The same for a fault whose parts are within their bounds. */
export function resultOf(fault: Fault, { hasOutputSchema = false, dialect = 'native', ...stamp }: AnswerOptions = {}): ToolResult {
  const told = dialect === 'workrail' ? { ...fault, hint: cutBytes(fault.hint, LIMITS.suggestionBytes) } : fault;
  const document = write(told, dialect, stamp);
  const isCard = dialect === 'native' || dialect === 'rpc' || dialect === 'tool-failure';
  const text = isCard ? card(told) : JSON.stringify(document);
  const isStructured = dialect === 'native' || dialect === 'atlas-gate' || (dialect === 'stagewright' && text.length <= MAX_STRUCTURED_CHARS);
  const envelope = dialect === 'native' ? document : write(told);
  return {
    resultType: 'complete',
    content: [{ type: 'text', text }],
    ...(isStructured && !hasOutputSchema && { structuredContent: document }),
    isError: true,
    _meta: { ...(dialect === 'tool-failure' && { [TOOL_FAILURE_KEY]: document }), [FAULT_KEY]: envelope },
  };
}

/** A JSON-RPC error that an SDK answers with as it is: for the dialect `rpc`, and for methods other than a call of a tool. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: JsonObject;

  constructor(fault: Fault) {
    const { code, message, data } = rpcError(fault) as { code: number; message: string; data: JsonObject };
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}
