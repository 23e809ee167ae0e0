// Errors that can be thrown: each holds a fault.
import { card } from './card.ts';
import type { Fault } from './types.ts';

/** A fault as an error. Its message is the first line of the card; the card and the envelope come from `fault`. */
export class FaultError<C extends string = string> extends Error {
  readonly fault: Fault<C>;

  constructor(fault: Fault<C>, options?: { cause?: unknown }) {
    super(`${fault.code}: ${fault.message}`, options);
    this.name = 'FaultError';
    this.fault = fault;
  }

  /** The code of the fault. */
  get code(): C {
    return this.fault.code;
  }

  /** The card, so that a server without `wrapHandler` tells the model as much as a text can. */
  override toString(): string {
    return card(this.fault);
  }
}
