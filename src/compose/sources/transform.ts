// What a transform is, and how it is put in front of a source.
import type { ServerCore } from '../../server/core.ts'
import type { Source } from '../../server/source.ts'

/** Stands in front of a source and changes what callers see of it. */
export type Transform = (source: Source) => Source

/** A source in front of another one, which may be replaced. */
export interface Movable extends Source {
  source: Source
}

const outermost = new WeakMap<Transform, (source: Source) => Movable>()

/** The transform stands outside of those that are added after it to the whole of a server: they are put behind what `make` makes. */
export function keepOutermost(transform: Transform, make: (source: Source) => Movable): Transform {
  outermost.set(transform, make)
  return transform
}

/** What puts later transforms behind this one; `undefined` where they stand in front of it. */
export function makerOfBelow(transform: Transform): ((source: Source) => Movable) | undefined {
  return outermost.get(transform)
}

/** Throws what the transform throws. `server` is the one that serves the outcome. */
export function putInFront(server: ServerCore, source: Source, transform: Transform): Source {
  const layer = transform(source)
  if (layer !== source && layer.keepsResults !== true) server.hasForeignLayers = true
  return layer
}
