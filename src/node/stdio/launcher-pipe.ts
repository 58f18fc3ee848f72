// The protocol pipe between a launcher and the server it starts. It has its own descriptor, which no child of the server gets.
import type { Socket } from 'node:net'

/** Holds the descriptor of the pipe and the process id of the launcher. The server removes it from its environment. */
const VARIABLE = 'MCPWIRE_STDIO_PIPE'

/** The first one after the standard streams. Node closes it in every process that the server starts. */
export const PIPE_DESCRIPTOR = 3

/** The variables by which a server finds the pipe. */
export function launcherVariables(): Record<string, string> {
  return { [VARIABLE]: `${PIPE_DESCRIPTOR} ${process.pid}` }
}

/** Whether a launcher opened a pipe: for this process (`own`), or for its parent, which did not take it (`inherited`). */
export function findLauncher(): 'own' | 'inherited' | undefined {
  const value = process.env[VARIABLE]
  if (value === undefined) return undefined
  return value.split(' ')[1] === String(process.ppid) ? 'own' : 'inherited'
}

/** The descriptor of the pipe that a launcher opened for this process. A second call returns `undefined`. */
export function takeLauncherDescriptor(): number | undefined {
  const launcher = findLauncher()
  const [descriptor] = process.env[VARIABLE]?.split(' ') ?? []
  delete process.env[VARIABLE]
  // An inherited variable names a descriptor that is not open here.
  return launcher === 'own' ? Number(descriptor) : undefined
}

export async function openLauncherPipe(fd: number): Promise<Socket> {
  const { Socket } = await import('node:net')
  return new Socket({ fd, readable: true, writable: true, allowHalfOpen: true })
}
