// The CPU time of processes by their ids, from Linux.
import { readdirSync, readFileSync } from 'node:fs'

/** Nanoseconds that all threads of a process have run. */
export function cpuOf(pid: number): number {
  let sum = 0
  for (const thread of listOf(`/proc/${pid}/task`)) {
    sum += Number(textOf(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0] ?? 0)
  }
  return sum
}

/** The processes that a process has started, and that these have started, whose command line has this word. */
export function descendantsWith(word: string, pid: number = process.pid): number[] {
  const children = listOf(`/proc/${pid}/task`).flatMap((thread) =>
    textOf(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
  return children.flatMap((child) => [
    ...(textOf(`/proc/${child}/cmdline`).split('\0')[1]?.endsWith(word) === true ? [child] : []),
    ...descendantsWith(word, child),
  ])
}

function listOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
