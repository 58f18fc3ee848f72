// What a transform is.
import type { Source } from '../../server/source.ts'

/** Stands in front of a source and changes what callers see of it. */
export type Transform = (source: Source) => Source
