// The Node side of `#platform`, for Node, Bun and Deno.

import { AsyncLocalStorage } from 'node:async_hooks'
import { loading } from '../primitives/loading.ts'
import type { AmbientStorage, Platform } from '../primitives/platform.ts'
import type { ServerTarget } from '../server/http/handler.ts'
import { type StdioServer, serveStdio } from './stdio/stdio-server.ts'

function createAmbientStorage<T>(): AmbientStorage<T> {
  const storage = new AsyncLocalStorage<T>()
  return {
    get: () => storage.getStore(),
    run: (value, work) => storage.run(value, work),
  }
}

export const platform: Platform = {
  runtime: 'node',
  // Loaded on demand: most programs start no child.
  openCommand: async (program, options) => {
    const { stdio } = await loading(import('./stdio/stdio-client.ts'))
    return stdio(program).open(options)
  },
  serveStdio: (server, options) => serveStdio(server as StdioServer, options),
  serveHttp: async (server, options) => {
    const { serveHttp } = await loading(import('./http/serve-http.ts'))
    return serveHttp(server as ServerTarget, options)
  },
  createPoster: async (options) => {
    const { createNodePoster } = await loading(import('./http/poster.ts'))
    return createNodePoster(options)
  },
  listenForRedirect: async (options) => {
    const { listenForRedirect } = await loading(import('./http/loopback-redirect.ts'))
    return listenForRedirect(options)
  },
  readTextFile: async (path, maxBytes) => {
    const { readTextFile } = await loading(import('./files/file-contents.ts'))
    return readTextFile(path, maxBytes)
  },
  openTextFile: async (path, maxBytes) => {
    const { openTextFile } = await loading(import('./files/text-file.ts'))
    return openTextFile(path, maxBytes)
  },
  openBrowser: async (url) => {
    const { openBrowser } = await loading(import('./files/open-browser.ts'))
    return openBrowser(url)
  },
  loadSealing: async () => {
    const { makeNodeSealingKey } = await loading(import('./sealing-key.ts'))
    return makeNodeSealingKey
  },
  loadStateCrypto: async () => {
    const { nodeStateCrypto } = await loading(import('./state-crypto.ts'))
    return nodeStateCrypto
  },
  createSandbox: async () => {
    const { createQuickJSSandbox } = await loading(import('./sandbox/quickjs-sandbox.ts'))
    return createQuickJSSandbox()
  },
  createAmbientStorage,
}
