// What it costs to load a package: the CPU time of a process that imports it, over that of one that imports nothing.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { median, ratiosOf, type Spread } from './figures.ts'
import { type Pace, turnsIn } from './pace.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** What a program imports by name, and the folder where those packages are installed (default: this one). */
export interface Imports {
  readonly names: readonly string[]
  readonly folder?: string
}

/** Microseconds, from the start of the process to the end of the imports. */
async function importTime({ names: imports, folder = root }: Imports): Promise<number> {
  const lines = imports.map((name) => `import ${JSON.stringify(name)}`)
  const program = `${lines.join('\n')}\nconst { user, system } = process.cpuUsage(); console.log(user + system)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '', NODE_COMPILE_CACHE: undefined },
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`Importing ${imports.join(', ')} ended with code ${code}`)
  return Number(printed)
}

/** By name what is imported; the first is the one that others are compared with. */
export async function compareImports(
  contenders: Readonly<Record<string, Imports>>,
  pace: Pick<Pace, 'rounds' | 'rowMs'>,
): Promise<Spread[]> {
  const samples: number[][] = Object.keys(contenders).map(() => [])
  const bare: number[] = []
  // The files of all of them are read once before it counts.
  for (const imports of Object.values(contenders)) await importTime(imports)
  for (const _turn of turnsIn(pace)) {
    bare.push(await importTime({ names: [] }))
    for (const [index, imports] of Object.values(contenders).entries()) samples[index]?.push(await importTime(imports))
  }
  // A single process varies by more than a small package costs, so all of one kind are compared with all of the other.
  const base = median(bare)
  const beyond = samples.map((times) => times.map((time) => time - base))
  const first = median(beyond[0] ?? [])
  return ratiosOf(['', ...Object.keys(contenders)], [beyond[0]?.map(() => first) ?? [], ...beyond]).slice(1)
}
