// The Python SDK as a client of the matrix: a process that takes one command for each line.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { PYTHON, pythonProgram } from '../python/environment.js'
import { ANSWERS, rootsAt } from './answers.js'

/** Less than the checks wait, so that a client that hangs is not left behind. */
const CONNECT_LIMIT_MS = 15_000

const VERBS = ['listTools', 'listResources', 'listTemplates', 'listPrompts', 'readResource', 'getPrompt', 'complete']

export const eras = ['legacy', 'modern']

export async function connect(target, era, { onLog, root }) {
  const peer = startPeer({ target, era, answers: { ...ANSWERS, roots: rootsAt(root) } }, onLog)
  const session = { version: await peer.ready, callTool: peer.callTool, close: peer.close }
  for (const verb of [...VERBS, 'askForLogs']) session[verb] = (...args) => peer.perform(verb, args)
  session.watch = async (uri, onUpdate) => {
    peer.onUpdated(onUpdate)
    await peer.perform('watch', [uri])
    return () => peer.perform('unwatch', [uri])
  }
  return session
}

function startPeer(start, onLog) {
  const child = spawn(PYTHON, [pythonProgram('client.py')], { stdio: ['pipe', 'pipe', 'ignore'] })
  const pending = new Map()
  let onUpdated = () => {}
  let lastId = 0

  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`)
  // A child that is gone refuses what is written; the calls learn it from its end.
  child.stdin.on('error', () => {})

  const ended = new Promise((resolve) => child.once('exit', resolve))
  void ended.then((code) => {
    for (const { reject } of pending.values()) reject(new Error(`the client in Python ended with code ${code}`))
    pending.clear()
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { event, params, uri, call, id, result, error } = JSON.parse(line)
    if (event === 'log') return onLog(params)
    if (event === 'updated') return onUpdated(uri)
    if (event === 'progress') return pending.get(call)?.onProgress?.(params)
    const waiting = pending.get(id)
    pending.delete(id)
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new Error(error))
  })

  const expect = (id, { onProgress, signal } = {}) =>
    new Promise((resolve, reject) => {
      pending.set(id, { resolve, reject, onProgress })
      signal?.addEventListener('abort', () => send({ cancel: id }), { once: true })
    })
  const perform = (verb, args, options) => {
    const id = ++lastId
    const answer = expect(id, options)
    send({ id, verb, args })
    return answer
  }

  const ready = expect(0)
  const limit = setTimeout(() => child.kill('SIGKILL'), CONNECT_LIMIT_MS)
  void ready
    .then(
      () => {},
      () => {},
    )
    .then(() => clearTimeout(limit))
  send(start)
  return {
    ready,
    perform,
    callTool: (name, args, options) => perform('callTool', [name, args], options),
    onUpdated: (listener) => {
      onUpdated = listener
    },
    async close() {
      child.stdin.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await ended
      clearTimeout(timer)
    },
  }
}
