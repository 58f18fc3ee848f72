// Which files a program is made of: those that Node resolves its imports to, and those that would be if they existed.
import * as nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { missingFiles } from './missing-files.ts'

type Resolve = (specifier: string, context: { parentURL?: string }, next: Next) => { url: string }
type Next = (specifier: string, context: object) => { url: string }

const { registerHooks } = nodeModule as unknown as {
  /** Since Node 22.15. */
  registerHooks?: (hooks: { resolve: Resolve }) => unknown
}

const WAIT_MS = 10

/** Calls `report` with files that it has not been called with, many at once. Files of packages are left out. */
export function reportLoadedFiles(report: (paths: string[]) => void): { flush(): void } {
  const seen = new Set<string>()
  let found: string[] = []
  let isWaiting = false
  const flush = () => {
    isWaiting = false
    if (hooks !== undefined) takeReports(hooks, addUrl)
    for (const path of Object.keys(requiredFiles())) add(path)
    if (found.length > 0) report(found)
    found = []
  }
  const add = (path: string) => {
    if (seen.has(path) || /[\\/]node_modules[\\/]/.test(path)) return
    seen.add(path)
    found.push(path)
  }
  const addUrl = (url: string) => {
    if (!url.startsWith('file:')) return
    add(fileURLToPath(url.replace(/[?#].*$/s, '')))
    if (!isWaiting) setTimeout(flush, WAIT_MS).unref()
    isWaiting = true
  }
  const hooks = registerHooks === undefined ? registerThread(addUrl) : undefined
  registerHooks?.({ resolve: (specifier, context, next) => resolveAndReport(specifier, context, next, addUrl) })
  return { flush }
}

/** Modules of `require`, which hooks do not see on every Node. */
function requiredFiles(): object {
  return (nodeModule.default as unknown as { _cache: object })._cache
}

function registerThread(add: (url: string) => void): MessagePort {
  const { port1, port2 } = new MessageChannel()
  port1.on('message', add)
  port1.unref()
  nodeModule.register(new URL('loaded-files-hooks.js', import.meta.url), {
    data: { port: port2 },
    transferList: [port2],
  })
  return port1
}

/** An import that failed can be known here before the thread's report of it is: the program may end without another turn. */
function takeReports(port: MessagePort, add: (url: string) => void): void {
  for (let report = receiveMessageOnPort(port); report !== undefined; report = receiveMessageOnPort(port))
    add(report.message as string)
}

function resolveAndReport(
  specifier: string,
  context: { parentURL?: string },
  next: Next,
  report: (url: string) => void,
): { url: string } {
  try {
    const resolved = next(specifier, context)
    report(resolved.url)
    return resolved
  } catch (error) {
    for (const url of missingFiles(specifier, context.parentURL)) report(url)
    throw error
  }
}
