// The extensions of a client that open with it, and what its own members for them give.
import { CleanupStack } from '../../primitives/async/cleanup.ts'
import type { ClientSession } from '../session/session.ts'
import type { ExtensionOpeners } from './fold-extensions.ts'

/** What the extensions of an open client returned, by identifier. */
export class OpenExtensions {
  readonly #opened = new Map<string, object>()
  readonly #cleanup = new CleanupStack()

  /** Opens all of them. Where one fails, the others are closed again. */
  static async open(openers: ExtensionOpeners, session: ClientSession): Promise<OpenExtensions> {
    const extensions = createOpenExtensions()
    try {
      for (const [identifier, open] of openers) extensions.#keep(identifier, await open(session))
    } catch (error) {
      await extensions.close()
      throw error
    }
    return extensions
  }

  find(identifier: string): object | undefined {
    return this.#opened.get(identifier)
  }

  close(): Promise<void> {
    return this.#cleanup.close()
  }

  #keep(identifier: string, opened: object | undefined): void {
    if (opened === undefined) return
    this.#opened.set(identifier, opened)
    const { close } = opened as { close?: () => unknown }
    if (typeof close === 'function') this.#cleanup.defer(async () => void (await close.call(opened)))
  }
}

// Outside the class: a class that names itself in its own body is renamed by the bundler.
function createOpenExtensions(): OpenExtensions {
  return new OpenExtensions()
}
