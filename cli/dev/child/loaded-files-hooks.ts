// As `loaded-files.ts`, for a Node that runs hooks in a thread of their own (before 22.15).
import type { MessagePort } from 'node:worker_threads'
import { missingFiles } from './missing-files.ts'

let port: MessagePort | undefined

export function initialize(data: { port: MessagePort }): void {
  port = data.port
}

export async function resolve(
  specifier: string,
  context: { parentURL?: string },
  next: (specifier: string, context: object) => Promise<{ url: string }>,
): Promise<{ url: string }> {
  try {
    const resolved = await next(specifier, context)
    port?.postMessage(resolved.url)
    return resolved
  } catch (error) {
    for (const url of missingFiles(specifier, context.parentURL)) port?.postMessage(url)
    throw error
  }
}
