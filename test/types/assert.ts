// Statements about types. Nothing here runs: `tsc` is the test runner.

/** Fails to compile unless the argument is `true`. */
export declare function holds<_Statement extends true>(): void

/** Whether two types are the same, and not merely assignable. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

export type Fits<Value, Place> = [Value] extends [Place] ? true : false
