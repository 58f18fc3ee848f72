// A client in a process of its own, in any language: it reads one command per line and writes one response per line.
//
// The first line holds the target and the answers to questions: `{ target, era, revision, answers }`. Each further line is
// `{ id, verb, args }` or `{ cancel: id }`; each answer is `{ id, result }` or `{ id, error }`, with id 0 for the connection.
// Lines with `event` are messages that the server sent by itself: `log`, `updated`, `toolsChanged` and `progress`.
import { spawn } from 'node:child_process'
import { linesOf } from '../lines.js'
import { ANSWERS, rootsAt } from './answers.js'

/** Less than the time limit of the checks, so that a client that hangs is ended. */
const CONNECT_LIMIT_MS = 45_000
const CLOSE_LIMIT_MS = 30_000

const VERBS = [
  'listTools',
  'listResources',
  'listTemplates',
  'listPrompts',
  'readResource',
  'getPrompt',
  'complete',
  'askForLogs',
  'startTask',
  'taskState',
  'cancelTask',
]

/** @param program `{ command, args, env }` of the client */
export function driven(program) {
  return {
    async connect(target, era, { onLog, root, revision }) {
      const peer = startPeer(program, { target, era, revision, answers: { ...ANSWERS, roots: rootsAt(root) } }, onLog)
      const session = { version: await peer.ready, callTool: peer.callTool, close: peer.close }
      for (const verb of VERBS) session[verb] = (...args) => peer.perform(verb, args)
      session.watch = async (uri, onUpdate) => {
        peer.listeners.updated = onUpdate
        await peer.perform('watch', [uri])
        return () => peer.perform('unwatch', [uri])
      }
      session.watchTools = async (onChange) => {
        peer.listeners.toolsChanged = onChange
        await peer.perform('watchTools', [])
        return () => peer.perform('unwatchTools', [])
      }
      return session
    },
  }
}

function startPeer({ command, args, env }, start, onLog) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  const pending = new Map()
  const listeners = { updated: () => {}, toolsChanged: () => {} }
  let lastId = 0
  let errors = ''

  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`)
  // Writing to a child that has exited fails; its exit event rejects the calls.
  child.stdin.on('error', () => {})
  child.stderr.on('data', (chunk) => {
    errors = `${errors}${chunk}`.slice(-2_000)
  })

  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(code ?? signal))
  })
  let end
  void ended.then((code) => {
    end = new Error(`the client ended with ${code}: ${errors.slice(-300)}`)
    for (const { reject } of pending.values()) reject(end)
    pending.clear()
  })
  const take = (line) => {
    const { event, params, uri, call, id, result, error } = JSON.parse(line)
    if (event === 'log') return onLog(params)
    if (event === 'updated') return listeners.updated(uri)
    if (event === 'toolsChanged') return listeners.toolsChanged()
    if (event === 'progress') return pending.get(call)?.onProgress?.(params)
    const waiting = pending.get(id)
    pending.delete(id)
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new Error(error))
  }
  void (async () => {
    for await (const line of linesOf(child.stdout)) take(line)
  })()

  const expect = (id, { onProgress, signal } = {}) =>
    new Promise((resolve, reject) => {
      if (end !== undefined) return reject(end)
      pending.set(id, { resolve, reject, onProgress })
      signal?.addEventListener('abort', () => send({ cancel: id }), { once: true })
    })
  const perform = (verb, verbArgs, options) => {
    const id = ++lastId
    const answer = expect(id, options)
    send({ id, verb, args: verbArgs })
    return answer
  }

  const limit = setTimeout(() => child.kill('SIGKILL'), CONNECT_LIMIT_MS)
  const ready = expect(0).finally(() => clearTimeout(limit))
  send(start)
  return {
    ready,
    perform,
    listeners,
    callTool: (name, toolArgs, options) => perform('callTool', [name, toolArgs], options),
    async close() {
      child.stdin.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_LIMIT_MS)
      await ended
      clearTimeout(timer)
    },
  }
}
