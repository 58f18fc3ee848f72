// The agreement between a launcher and the server it starts: a pipe of their own, which no child of the server can reach.
import type { Socket } from 'node:net'

/** Says which descriptor the pipe has and who made it. Taken out of the environment by the server that finds it. */
const VARIABLE = 'MCPWIRE_STDIO_PIPE'

/** After the three standard ones. Node closes it in all that the server starts. */
export const PIPE_DESCRIPTOR = 3

/** What the environment of a server must say so that it finds the pipe. */
export function launchedEnvironment(): Record<string, string> {
  return { [VARIABLE]: `${PIPE_DESCRIPTOR} ${process.pid}` }
}

/** Whether a launcher has left a pipe: for this process, or for the one that started it and has not taken it. */
export function findLauncher(): 'ours' | 'of another' | undefined {
  const note = process.env[VARIABLE]
  if (note === undefined) return undefined
  return note.split(' ')[1] === String(process.ppid) ? 'ours' : 'of another'
}

/** The descriptor of the pipe that a launcher has left for this process, once. */
export function takeLaunchedDescriptor(): number | undefined {
  const launcher = findLauncher()
  const [descriptor] = process.env[VARIABLE]?.split(' ') ?? []
  delete process.env[VARIABLE]
  // Inherited from a server that was launched and did not take it: its descriptor is not open here.
  return launcher === 'ours' ? Number(descriptor) : undefined
}

export async function openLaunchedPipe(fd: number): Promise<Socket> {
  const { Socket } = await import('node:net')
  return new Socket({ fd, readable: true, writable: true, allowHalfOpen: true })
}
