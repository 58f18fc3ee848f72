// What it costs to load a package: the CPU time of a process that imports it, over that of one that imports nothing.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { median, ratiosOf, type Spread } from './figures.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Microseconds, from the start of the process to the end of the imports. */
async function importTime(imports: readonly string[], nodePath: string): Promise<number> {
  const lines = imports.map((name) => `import ${JSON.stringify(name)}`)
  const program = `${lines.join('\n')}\nconst { user, system } = process.cpuUsage(); console.log(user + system)`
  const child = spawn(nodePath, ['--input-type=module', '--eval', program], {
    cwd: root,
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
  contenders: Readonly<Record<string, readonly string[]>>,
  rounds: number,
  nodePath = process.execPath,
): Promise<Spread[]> {
  const samples: number[][] = Object.keys(contenders).map(() => [])
  const bare: number[] = []
  for (let round = -1; round < rounds; round++) {
    const before = await importTime([], nodePath)
    if (round >= 0) bare.push(before)
    for (const [index, imports] of Object.values(contenders).entries()) {
      const taken = await importTime(imports, nodePath)
      if (round >= 0) samples[index]?.push(taken)
    }
  }
  // A single process varies by more than a small package costs, so all of one kind are compared with all of the other.
  const base = median(bare)
  return ratiosOf(
    Object.keys(contenders),
    samples.map((times) => times.map((time) => Math.max(time - base, 1))),
  )
}

export const fileUrl = (path: string) => pathToFileURL(path).href
