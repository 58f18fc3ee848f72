// TypeScript to JavaScript by sucrase, with a source map. Lines stay where they are.
import { type Options, transform as rewrite } from 'sucrase'
import type { ModuleFormat } from './module-format.ts'

export interface TransformOptions {
  path: string
  url: string
  format: ModuleFormat
  keepsUnusedImports: boolean
}

export function transform(text: string, options: TransformOptions): string {
  const { url, format } = options
  const { code, sourceMap } = run(text, options, {
    transforms: format === 'commonjs' ? ['typescript', 'imports'] : ['typescript'],
    disableESTransforms: true,
    preserveDynamicImport: true,
    injectCreateRequireForImportRequire: true,
    keepUnusedImports: options.keepsUnusedImports,
    filePath: options.path,
    sourceMapOptions: { compiledFilename: url },
  })
  const map = Buffer.from(JSON.stringify({ ...sourceMap, sources: [url], sourcesContent: [text] })).toString('base64')
  // In one piece, tools that read this file would take it for its own map.
  return `${code}\n${['//#', `sourceMappingURL=data:application/json;base64,${map}`].join(' ')}`
}

function run(text: string, { path }: TransformOptions, options: Options): ReturnType<typeof rewrite> {
  try {
    return rewrite(text, options)
  } catch (error) {
    throw describeSyntaxError(error as Error, path, text)
  }
}

/** Sucrase: `Error transforming <path>: Unexpected token (3:14)`. */
function describeSyntaxError(error: Error, path: string, text: string): Error {
  const { loc, message } = error as Error & { loc?: { line?: number; column?: number } }
  const [, line = loc?.line, column = loc?.column] = /\((\d+):(\d+)\)$/.exec(message) ?? []
  const what = message.replace(`Error transforming ${path}: `, '').replace(/ ?\(\d+:\d+\)$/, '')
  if (line === undefined) return new SyntaxError(`${what} in ${path}`, { cause: error })
  const shown = (text.split('\n')[Number(line) - 1] ?? '').slice(0, 200)
  const described = new SyntaxError(`${what} (${path}:${line}:${column})`, { cause: error })
  // The form in which Node shows a syntax error of JavaScript.
  described.stack = `${path}:${line}\n${shown}\n${' '.repeat(Math.max(0, Number(column) - 1))}^\n\nSyntaxError: ${what}`
  return described
}
