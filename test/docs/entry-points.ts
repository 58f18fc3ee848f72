// The entry points of the package as a test sees them: the file behind each, its values, and what the compiler finds in it.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A name of an entry point, or a path from it as in `ClientCapabilities.sampling.tools`. */
export interface Place {
  readonly entryPoint: string
  readonly path: string
}

type Values = Record<string, unknown>

/** The values that an entry point exports; none where there is no such entry point. */
export async function importEntryPoint(entryPoint: string): Promise<Values> {
  const file = join(root, fileOf(entryPoint))
  return existsSync(file) ? ((await import(file)) as Values) : {}
}

function fileOf(entryPoint: string): string {
  return `src/exports/${entryPoint === 'mcpwire' ? 'index' : entryPoint.replace('mcpwire/', '')}.ts`
}

const TSCONFIG = {
  extends: '../../tsconfig.base.json',
  compilerOptions: { lib: ['ES2023', 'ESNext.Disposable', 'WebWorker'], types: [] },
  include: ['*.ts'],
}

const HELPERS = `
export type Keys<T> = T extends unknown ? keyof T : never
export type At<T, K> = T extends unknown ? (K extends keyof T ? NonNullable<T[K]> : never) : never
declare function check<T, _Member extends Keys<T>>(): void
`

/** Those of the places that the compiler does not find, types and members of types included. */
export async function findMissing(places: readonly Place[]): Promise<string[]> {
  mkdirSync(join(root, 'build'), { recursive: true })
  const workspace = mkdtempSync(join(root, 'build', 'entry-points-'))
  try {
    const lines = [...HELPERS.split('\n'), ...(await Promise.all(places.map(lineFor)))]
    writeFileSync(join(workspace, 'tsconfig.json'), JSON.stringify(TSCONFIG))
    writeFileSync(join(workspace, 'places.ts'), lines.join('\n'))
    return linesAtFault(await compile(workspace), 'places.ts').map((line) => labelOf(lines[line - 1] ?? ''))
  } finally {
    rmSync(workspace, { recursive: true, force: true })
  }
}

/** A line that compiles only if the place exists, with a label to know it by. */
async function lineFor({ entryPoint, path }: Place, index: number): Promise<string> {
  const [name = '', ...steps] = path.split('.')
  const label = `// ${path} from ${entryPoint}`
  const file = `'../../${fileOf(entryPoint)}'`
  const last = steps.pop()
  if (last === undefined) return `export type { ${name} as name${index} } from ${file} ${label}`
  const isStatic = last in Object((await importEntryPoint(entryPoint))[name])
  const owner = `${isStatic ? 'typeof ' : ''}import(${file}).${name}`
  const type = steps.reduce((outer, step) => `At<${outer}, '${step}'>`, owner)
  return `check<${type}, '${last}'>() ${label}`
}

function labelOf(line: string): string {
  return line.split(' // ').at(-1) ?? line
}

/** Numbers of lines from what the compiler printed; other files may be in the middle of an edit. */
function linesAtFault(output: string, file: string): number[] {
  const faults = [...output.matchAll(/^(.+?)\((\d+),\d+\): error /gm)]
  return [...new Set(faults.filter(([, where = '']) => basename(where) === file).map(([, , line]) => Number(line)))]
}

function compile(project: string): Promise<string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const parameters = [compiler, '-p', project, '--pretty', 'false']
  return new Promise((resolve, reject) => {
    execFile(process.execPath, parameters, { cwd: project, maxBuffer: 1 << 26 }, (error, stdout) => {
      if (error !== null && stdout === '') reject(error)
      else resolve(stdout)
    })
  })
}

/** A document of the repository. */
export function readDocument(name: string): string {
  return readFileSync(join(root, 'docs', name), 'utf8')
}
