// The program of the thread in which QuickJS runs. A text, since a thread needs a file or a text of its own.

/** What the script finds, made inside the sandbox from three functions that are taken away again. */
export const PRELUDE = `(() => {
  const { call, sleep, log } = globalThis.__host
  delete globalThis.__host
  const { parse, stringify } = JSON
  const text = String
  class ToolError extends Error { constructor(message) { super(message); this.name = 'ToolError' } }
  const callTool = async (name, args = {}) => {
    const answer = parse(await call(text(name), stringify(args ?? {}) ?? 'null'))
    if (answer.error !== undefined) throw new ToolError(answer.error)
    return answer.value
  }
  const show = (value) => { try { return typeof value === 'string' ? value : stringify(value) ?? String(value) } catch { return String(value) } }
  const write = (...values) => log(text(values.map(show).join(' ')))
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
const { newQuickJSWASMModuleFromVariant, newVariant } = require(corePath)
const loaded = require(variantPath)
const variant = loaded.default ?? loaded
const [PAGE, START_PAGES, PAGES_PER_MB, MAX_PAGES, SPARE_PAGES] = [65_536, 256, 16, 32_768, 64]
// Of one call, and of all that are under way: what waits for its turn stays in the memory of the script.
const MAX_ARGUMENTS = 1024 * 1024
const MAX_WAITS = 10_000
const lines = code.split('\n').length
const fail = (failure) => parentPort.postMessage({ type: 'failed', ...failure })
let isFull = () => false
const main = async () => {
  // The limit of the engine counts blocks and not their bytes: it is the memory of WebAssembly that has an end.
  const maximum = Math.min(START_PAGES + Math.ceil(limits.memoryMB * PAGES_PER_MB), MAX_PAGES)
  const wasmMemory = new WebAssembly.Memory({ initial: START_PAGES, maximum })
  const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory }))
  isFull = () => wasmMemory.buffer.byteLength > (maximum - SPARE_PAGES) * PAGE
  const runtime = quickjs.newRuntime()
  runtime.setMaxStackSize(512 * 1024)
  const deadline = Date.now() + limits.timeMs
  let isDone = false
  const end = (failure) => { if (!isDone) { isDone = true; fail(failure) } }
  runtime.setInterruptHandler(() => isDone || Date.now() > deadline)
  const vm = runtime.newContext()
  const pending = new Map()
  const queue = []
  let [made, waiting, written, underWay] = [0, 0, 0, 0]
  const host = vm.newObject()
  const later = (start) => {
    if (waiting >= MAX_WAITS) return end({ message: 'The script waits for more than ' + MAX_WAITS + ' things at once.' })
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
  // The length first: a text that is too long is never taken out of the memory of the script.
  const lengthOf = (handle) => vm.getProp(handle, 'length').consume((length) => vm.getNumber(length))
  const callNext = () => {
    while (queue.length > 0 && !isDone && pending.size < limits.callsAtOnce) {
      const { id, deferred, name, args, size } = queue[0]
      if (pending.size > 0 && underWay + size > MAX_ARGUMENTS) return
      queue.shift()
      pending.set(id, { deferred, size })
      underWay += size
      parentPort.postMessage({ type: 'call', id, name: vm.getString(name), args: vm.getString(args) })
      name.dispose()
      args.dispose()
    }
  }
  vm.newFunction('call', (name, args) => later((deferred) => {
    if (isDone) return
    const id = made++
    if (made > limits.calls) return end({ limit: 'calls' })
    const size = lengthOf(name) + lengthOf(args)
    if (size > MAX_ARGUMENTS) {
      const error = 'The arguments of a call have at most ' + MAX_ARGUMENTS + ' characters.'
      return setImmediate(() => settle(deferred, JSON.stringify({ error })))
    }
    queue.push({ id, deferred, name: name.dup(), args: args.dup(), size })
    callNext()
  })).consume((handle) => vm.setProp(host, 'call', handle))
  vm.newFunction('sleep', (ms) => later((deferred) => {
    setTimeout(() => settle(deferred), Math.min(Math.max(0, vm.getNumber(ms)), 2_147_483_647))
  })).consume((handle) => vm.setProp(host, 'sleep', handle))
  vm.newFunction('log', (text) => {
    if (isDone) return
    written += lengthOf(text) + 1
    if (written > limits.outputLength) end({ limit: 'outputLength' })
    else parentPort.postMessage({ type: 'log', line: vm.getString(text) })
  }).consume((handle) => vm.setProp(host, 'log', handle))
  vm.setProp(vm.global, '__host', host)
  host.dispose()
  // Taken before the script runs: it may replace everything that it can reach.
  const write = vm.unwrapResult(vm.evalCode(prelude, 'prelude.js'))
  // The engine has no form for some values, such as promises.
  const read = (handle) => {
    try {
      return vm.dump(handle)
    } catch {
      return {}
    } finally {
      if (handle.alive) handle.dispose()
    }
  }
  const describe = (handle) => {
    const error = read(handle)
    // An interrupt shows as another error where it meets the engine at work on promises.
    if (Date.now() > deadline) return { limit: 'timeMs' }
    const isError = typeof error === 'object' && error !== null
    const text = isError ? [error.name, error.message].filter(Boolean).join(': ') : String(error ?? '')
    const most = Math.max(limits.outputLength - written, 200)
    const message = text.length > most ? text.slice(0, most) + '…' : text
    // Where there is no memory left for an error, there is none.
    if (isFull() && (message === '' || /out of memory/.test(message))) return { limit: 'memoryMB' }
    if (error?.name === 'InternalError' && /out of memory/.test(message)) return { limit: 'memoryMB' }
    if (!isError) return { message: message || 'The script threw a value that is no error.' }
    // The engine may name a line of what stands around the script.
    const line = Number(/script\.js:(\d+)/.exec(error.stack ?? '')?.[1] ?? error.lineNumber) - 1
    return { message: message || 'The script threw a value that is no error.', line: line >= 1 && line <= lines ? line : undefined }
  }
  const step = () => {
    if (isDone) return
    const ran = runtime.executePendingJobs()
    if (ran.error) return end(describe(ran.error))
    queueMicrotask(() => setImmediate(() => {
      if (!isDone && waiting === 0) end({ message: 'The script waits for something that never happens.' })
    }))
  }
  parentPort.on('message', ({ id, text }) => {
    const call = pending.get(id)
    if (call === undefined) return
    pending.delete(id)
    underWay -= call.size
    callNext()
    settle(call.deferred, text)
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
  const isText = vm.typeof(json.value) === 'string'
  if (isText && lengthOf(json.value) + written > limits.outputLength) return fail({ limit: 'outputLength' })
  parentPort.postMessage({ type: 'done', text: isText ? vm.getString(json.value) : undefined })
}
// What the engine says of itself helps no reader: it fails where there is no room left, or the script has harmed it.
main().catch(() => fail(isFull() ? { limit: 'memoryMB' } : { message: 'The sandbox could not run the script to its end.' }))
`
