// The program of the thread in which QuickJS runs. A text, since a thread needs a file or a text of its own.

/** What the script finds, made inside the sandbox from three functions that are taken away again. */
export const PRELUDE = `(() => {
  const { call, sleep, log } = globalThis.__host
  delete globalThis.__host
  const { parse, stringify } = JSON
  class ToolError extends Error { constructor(message) { super(message); this.name = 'ToolError' } }
  const callTool = async (name, args = {}) => {
    const answer = parse(await call(String(name), stringify(args ?? {})))
    if (answer.error !== undefined) throw new ToolError(answer.error)
    return answer.value
  }
  const show = (value) => { try { return typeof value === 'string' ? value : stringify(value) ?? String(value) } catch { return String(value) } }
  const write = (...values) => log(values.map(show).join(' '))
  globalThis.ToolError = ToolError
  globalThis.callTool = callTool
  globalThis.sleep = (ms) => sleep(Number(ms) || 0)
  globalThis.console = { log: write, info: write, warn: write, error: write, debug: write }
  globalThis.tools = new Proxy({}, { get: (_, name) => typeof name === 'string' && name !== 'then' ? (args) => callTool(name, args) : undefined })
  return (value) => stringify(value)
})()`

export const WORKER = String.raw`
const { parentPort, workerData } = require('node:worker_threads')
const { code, limits, corePath, variantPath, prelude } = workerData
const { newQuickJSWASMModuleFromVariant } = require(corePath)
const loaded = require(variantPath)
const variant = loaded.default ?? loaded
const fail = (failure) => parentPort.postMessage({ type: 'failed', ...failure })
const main = async () => {
  const quickjs = await newQuickJSWASMModuleFromVariant(variant)
  const runtime = quickjs.newRuntime()
  runtime.setMemoryLimit(limits.memoryMB * 1024 * 1024)
  runtime.setMaxStackSize(512 * 1024)
  const deadline = Date.now() + limits.timeMs
  runtime.setInterruptHandler(() => Date.now() > deadline)
  const vm = runtime.newContext()
  const pending = new Map()
  let [nextId, waiting, written] = [0, 0, 0]
  const host = vm.newObject()
  const later = (start) => {
    const deferred = vm.newPromise()
    waiting += 1
    start(deferred)
    return deferred.handle
  }
  const settle = (deferred, text) => {
    waiting -= 1
    if (text === undefined) deferred.resolve()
    else vm.newString(text).consume((handle) => deferred.resolve(handle))
    step()
  }
  vm.newFunction('call', (name, args) => later((deferred) => {
    const id = nextId++
    pending.set(id, deferred)
    parentPort.postMessage({ type: 'call', id, name: vm.getString(name), args: vm.getString(args) })
  })).consume((handle) => vm.setProp(host, 'call', handle))
  vm.newFunction('sleep', (ms) => later((deferred) => {
    setTimeout(() => settle(deferred), Math.min(Math.max(0, vm.getNumber(ms)), 2_147_483_647))
  })).consume((handle) => vm.setProp(host, 'sleep', handle))
  vm.newFunction('log', (text) => {
    const line = vm.getString(text)
    written += line.length + 1
    if (written > limits.outputLength) fail({ limit: 'outputLength' })
    else parentPort.postMessage({ type: 'log', line })
  }).consume((handle) => vm.setProp(host, 'log', handle))
  vm.setProp(vm.global, '__host', host)
  host.dispose()
  // Taken before the script runs: it may replace everything that it can reach.
  const write = vm.unwrapResult(vm.evalCode(prelude, 'prelude.js'))
  const describe = (handle) => {
    const error = vm.dump(handle)
    handle.dispose()
    if (typeof error !== 'object' || error === null) return { message: String(error) }
    const message = [error.name, error.message].filter(Boolean).join(': ')
    // An interrupt shows as another error where it meets the engine at work on promises.
    if (Date.now() > deadline) return { limit: 'timeMs' }
    if (error.name === 'InternalError' && /out of memory/.test(error.message)) return { limit: 'memoryMB' }
    const line = /script\.js:(\d+)/.exec(error.stack ?? '')?.[1] ?? error.lineNumber
    return { message, line: line === undefined ? undefined : Number(line) - 1 }
  }
  let isDone = false
  const end = (failure) => { if (!isDone) { isDone = true; fail(failure) } }
  const step = () => {
    if (isDone) return
    const ran = runtime.executePendingJobs()
    if (ran.error) return end(describe(ran.error))
    queueMicrotask(() => setImmediate(() => {
      if (!isDone && waiting === 0) end({ message: 'The script waits for something that never happens.' })
    }))
  }
  parentPort.on('message', ({ id, text }) => {
    const deferred = pending.get(id)
    pending.delete(id)
    if (deferred !== undefined) settle(deferred, text)
  })
  const evaluated = vm.evalCode('(async () => {\n' + code + '\n})()', 'script.js')
  if (evaluated.error) return end(describe(evaluated.error))
  const result = vm.resolvePromise(evaluated.value)
  step()
  const settled = await result
  if (isDone) return
  isDone = true
  if (settled.error) return fail(describe(settled.error))
  const json = vm.callFunction(write, vm.undefined, settled.value)
  if (json.error) return fail(describe(json.error))
  const text = vm.typeof(json.value) === 'string' ? vm.getString(json.value) : undefined
  if (text !== undefined && text.length + written > limits.outputLength) return fail({ limit: 'outputLength' })
  parentPort.postMessage({ type: 'done', text })
}
main().catch((error) => fail({ message: String(error && error.message), isBroken: true }))
`
