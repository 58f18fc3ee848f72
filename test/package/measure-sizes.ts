// Measures the built package: what programs that use it weigh, what an import of it loads, and what its tarball holds.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** What users install along with the package, and Node's own modules: no part of its size. */
const external = ['node:*', 'cross-spawn', 'jose', 'oauth4webapi', '@opentelemetry/api']

/** A bundler chooses by it which side of `#mcpwire/platform` it takes. */
export type Platform = 'node' | 'browser'

export interface BundleSize {
  readonly minified: number
  readonly gzipped: number
}

/** The size of a program, bundled and minified as its author would; what it imports dynamically is part of it, unless left out. */
export async function bundleSize(program: string, platform: Platform, leftOut?: RegExp): Promise<BundleSize> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: root, sourcefile: 'program.js' },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform,
    external,
    plugins: leftOut === undefined ? [] : [leaveOut(leftOut)],
    write: false,
    logLevel: 'error',
  })
  const contents = outputFiles[0]?.contents ?? new Uint8Array()
  return { minified: contents.length, gzipped: gzipSync(contents, { level: 9 }).length }
}

/**
 * Bytes after gzip of what a program loads at its start, where its bundler makes a file of its own for each dynamic import; with
 * those files that `later` fits, and what they load.
 */
export async function initialSize(program: string, platform: Platform, later?: RegExp): Promise<number> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: root, sourcefile: 'program.js' },
    bundle: true,
    minify: true,
    splitting: true,
    outdir: 'out',
    format: 'esm',
    target: 'es2022',
    platform,
    external,
    metafile: true,
    write: false,
    logLevel: 'error',
  })
  const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint?.endsWith('program.js'))
  const loaded = new Set<string>()
  const visit = (path: string): void => {
    if (loaded.has(path)) return
    loaded.add(path)
    for (const { path: next, kind } of metafile.outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' || later?.test(metafile.outputs[next]?.entryPoint ?? '') === true) visit(next)
    }
  }
  visit(entry?.[0] ?? '')
  const files = outputFiles.filter(({ path }) => [...loaded].some((name) => path.endsWith(name)))
  return files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0)
}

function leaveOut(filter: RegExp): Plugin {
  return {
    name: 'leave-out',
    setup: ({ onResolve }) =>
      onResolve({ filter }, ({ path, kind }) => (kind === 'dynamic-import' ? { path, external: true } : undefined)),
  }
}

/** The modules that a program of `scripts/weigh.js` has loaded after its first call, with their bytes in its bundle. */
export function modulesLoadedBy(program: string): Map<string, number> {
  const printed = execFileSync(process.execPath, ['scripts/weigh.js', program, '--first-call'], {
    cwd: root,
    encoding: 'utf8',
  })
  const lines = [...printed.matchAll(/^ *(\d+) {2}(\S+)/gm)]
  return new Map(lines.map(([, bytes, source]) => [String(source), Number(bytes)]))
}

export interface LoadedFiles {
  readonly files: number
  readonly bytes: number
}

/** The files of the package that an import of a built entry point loads, before anything is imported dynamically. */
export async function loadedFiles(entryPoint: string, platform: Platform): Promise<LoadedFiles> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entryPoint],
    bundle: true,
    format: 'esm',
    platform,
    external,
    write: false,
    metafile: true,
    logLevel: 'error',
  })
  const loaded = new Set<string>()
  const visit = (path: string): void => {
    const input = metafile.inputs[path]
    if (input === undefined || loaded.has(path)) return
    loaded.add(path)
    for (const { path: next, kind } of input.imports) if (kind === 'import-statement') visit(next)
  }
  visit(entryPoint)
  const bytes = [...loaded].reduce((sum, path) => sum + (metafile.inputs[path]?.bytes ?? 0), 0)
  return { files: loaded.size, bytes }
}

/** The CPU time of a process that imports `name`, over that of one that imports nothing: the best of several, turn by turn. */
export async function importTimeRatio(name: string, turns: number): Promise<number> {
  let bare = Number.POSITIVE_INFINITY
  let importing = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < turns; turn += 1) {
    bare = Math.min(bare, await cpuTimeOf(''))
    importing = Math.min(importing, await cpuTimeOf(`import ${JSON.stringify(name)};`))
  }
  return importing / bare
}

/** In microseconds, from the start of the process to the end of the program. */
function cpuTimeOf(program: string): Promise<number> {
  const measured = `${program} const { user, system } = process.cpuUsage(); process.stdout.write(String(user + system))`
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', measured], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_OPTIONS: '', NODE_COMPILE_CACHE: undefined },
    })
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(Number(printed)) : reject(new Error(`The process ended with code ${code}`)),
    )
  })
}

export interface PackedSize {
  readonly files: number
  readonly packed: number
  readonly unpacked: number
}

/** As npm would publish it. */
export async function packedSize(): Promise<PackedSize> {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const { stdout } = await promisify(execFile)(npm, ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    maxBuffer: 1 << 26,
    shell: process.platform === 'win32',
  })
  const listing = JSON.parse(stdout) as PackListing[] | Record<string, PackListing>
  const [packed] = Object.values(listing)
  if (packed === undefined) throw new Error('npm pack listed nothing')
  return { files: packed.files.length, packed: packed.size, unpacked: packed.unpackedSize }
}

interface PackListing {
  readonly files: readonly unknown[]
  readonly size: number
  readonly unpackedSize: number
}

/** The bytes of everything that an installation of the package brings along. */
export function dependenciesSize(): number {
  const sizes = new Map<string, number>()
  const add = (folder: string): void => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
    for (const name of Object.keys(dependencies)) {
      const path = [join(folder, 'node_modules', name), join(root, 'node_modules', name)].find(existsSync)
      if (path === undefined) throw new Error(`${name} is not installed`)
      if (sizes.has(path)) continue
      sizes.set(path, folderSize(path))
      add(path)
    }
  }
  add(root)
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Without the packages inside it, which count by themselves. */
function folderSize(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const own = files.filter(({ parentPath }) => !parentPath.slice(folder.length).includes('node_modules'))
  return own.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}
