// The platform of browsers, workers and everything else that is not Node: what is missing throws an error that names it.
import { notSupported, type Platform } from './platform.ts'

export const platform: Platform = {
  runtime: 'web',
  openCommand: async () => {
    throw notSupported('Starting a child process', 'connect to a URL or pass a Transport')
  },
  serveStdio: async () => {
    throw notSupported('Serving over stdio', 'serve over HTTP, or connect() a Transport')
  },
  serveHttp: async () => {
    throw notSupported('Listening on a port', 'give toFetch(createHandler(server)) to the runtime')
  },
  createPoster: async () => undefined,
  listenForRedirect: async () => {
    throw notSupported('Listening for the redirect of a login', 'pass redirectUri, redirect and callback')
  },
  readTextFile: async () => {
    throw notSupported('Reading a file', 'pass what is in it as an object')
  },
  openTextFile: async () => {
    throw notSupported('Reading a file', 'pass what is in it')
  },
  openBrowser: async () => false,
  loadSealing: async () => undefined,
  loadStateCrypto: async () => undefined,
  createSandbox: async () => {
    throw notSupported('The sandbox of codeMode()', 'pass a sandbox of your own')
  },
  createAmbientStorage: () => {
    throw notSupported('An ambient context', 'pass the context along as an argument')
  },
}
