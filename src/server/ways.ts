// Which way a request takes where several sources stand beside each other, and which layers let it pass.
import { insideOf, type ServerRequestContext } from './context.ts'
import type { Source } from './source.ts'

/** Where several sources stand beside each other, and which of them a request went to; with what it did before that. */
export interface Ways {
  readonly crossing: object
  readonly way: object
  readonly before: Ways | undefined
}

/** A request that layers make in the name of their caller: it begins where that of the client began, so that all layers see it. */
export interface Through {
  /** These layers let it pass as if they were not there. */
  readonly layers: ReadonlySet<Source>
  /** It takes no other ways than these. */
  readonly ways: Ways | undefined
}

export function throughOf(ctx: ServerRequestContext): Through | undefined {
  return insideOf(ctx).through
}

export function waysOf(ctx: ServerRequestContext): Ways | undefined {
  return insideOf(ctx).ways
}

/** From here on the request is one that a layer makes. */
export function goThrough(ctx: ServerRequestContext, through: Through): void {
  insideOf(ctx).through = through
}

/** From here on the request is with `way`, one of those that stand beside each other in `crossing`. */
export function takeWay(ctx: ServerRequestContext, crossing: object, way: object): void {
  const inside = insideOf(ctx)
  inside.ways = { crossing, way, before: inside.ways }
}

/** The way from there that the request is bound to, if it is. */
export function boundWayOf(ctx: ServerRequestContext, crossing: object): object | undefined {
  for (let at = insideOf(ctx).through?.ways; at !== undefined; at = at.before)
    if (at.crossing === crossing) return at.way
  return undefined
}
