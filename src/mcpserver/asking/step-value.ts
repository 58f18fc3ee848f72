// Which values a step can return: what JSON carries.
type NotJSON =
  | bigint
  | symbol
  | ((...args: never[]) => unknown)
  | Date
  | RegExp
  | Error
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | ArrayBuffer
  | ArrayBufferView

/**
 * `Value` where JSON can carry all of it, as far as its type tells; `never` in the place of what JSON can't carry, so that such a
 * step does not compile. A step that returns it fails when it runs, after its side effect.
 */
export type StepValue<Value> = Value extends NotJSON
  ? never
  : Value extends object
    ? { [Name in keyof Value]: StepValue<Value[Name]> }
    : Value
