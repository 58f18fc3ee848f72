// Arguments as callers write them, where the type of an object may be an interface, which fits no index signature.

/** Arguments of which nothing is known: an object, but no list. */
export type AnyArguments = { readonly [name: string]: unknown } | (object & { readonly [Symbol.iterator]?: never })

/** What arguments must be that are strings only, as those of prompts are. */
export type StringMembers<Arguments> = { readonly [Name in keyof Arguments]?: string }
