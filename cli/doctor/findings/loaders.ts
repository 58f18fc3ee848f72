// How a file is loaded, in words.
import type { LoaderKind } from '../../typescript/loader.ts'

export const LOADERS: Readonly<Record<LoaderKind, string>> = {
  none: 'JavaScript',
  given: 'TypeScript by the loader in NODE_OPTIONS',
  node: 'TypeScript by the type stripping of Node',
  tsx: 'TypeScript by tsx of the project',
  'built-in': 'TypeScript by the built-in loader',
}
