// As much of js-yaml as read-yaml.ts and the command line use: the package brings no types.
declare module 'js-yaml' {
  export interface LoaderState {
    readonly input: string
    readonly position: number
    /** From 0 on. */
    readonly line: number
    result: unknown
  }

  export interface LoadOptions {
    readonly schema: Schema
    readonly maxDepth: number
    /** Called before and after each node. */
    listener(event: 'open' | 'close', state: LoaderState): void
  }

  export class Type {
    constructor(
      tag: string,
      options: { kind: 'scalar'; resolve(text: string): boolean; construct(text: string): unknown },
    )
  }

  export class Schema {
    extend(types: { implicit: readonly Type[] }): Schema
  }

  export class YAMLException extends Error {
    readonly reason: string
    readonly mark?: { readonly line: number; readonly position: number }
  }

  export const FAILSAFE_SCHEMA: Schema
  export const JSON_SCHEMA: Schema
  export function load(text: string, options?: Partial<LoadOptions>): unknown
  export function dump(value: unknown, options?: { schema?: Schema; lineWidth?: number; indent?: number }): string
}
