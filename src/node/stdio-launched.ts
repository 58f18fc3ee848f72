// The agreement between a launcher and the server it starts: a pipe of their own, which no child of the server can reach.
import { Socket } from 'node:net'

/** Says which descriptor the pipe has and who made it. Taken out of the environment by the server that finds it. */
const VARIABLE = 'MCPWIRE_STDIO_PIPE'

/** After the three standard ones. Node closes it in all that the server starts. */
export const PIPE_DESCRIPTOR = 3

/** What the environment of a server must say so that it finds the pipe. */
export function launchedEnvironment(): Record<string, string> {
  return { [VARIABLE]: `${PIPE_DESCRIPTOR} ${process.pid}` }
}

/** The pipe that a launcher has left for this process, once. */
export function takeLaunchedPipe(): Socket | undefined {
  const note = process.env[VARIABLE]
  if (note === undefined) return undefined
  delete process.env[VARIABLE]
  const [descriptor, launcherPid] = note.split(' ')
  // Inherited from a server that was launched and did not take it: its descriptor is not open here.
  if (launcherPid !== String(process.ppid)) return undefined
  return new Socket({ fd: Number(descriptor), readable: true, writable: true, allowHalfOpen: true })
}
