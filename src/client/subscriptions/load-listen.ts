// Loads subscriptions when a client first listens: most clients never do.
import { loading } from '../../primitives/loading.ts'
import type { listen } from './listen.ts'

type Listen = typeof listen

let loaded: Listen | undefined

/** From now on clients listen without loading anything, in the same turn. */
export function keepListen(listen: Listen): void {
  loaded = listen
}

/** Not a promise once it is loaded, so that what is sent after a `listen()` stays after it. */
export function loadListen(): Listen | Promise<Listen> {
  return loaded ?? importListen()
}

async function importListen(): Promise<Listen> {
  const { listen } = await loading(import('./listen.ts'))
  keepListen(listen)
  return listen
}
