// What every version of a program needs before its own files: the loader, and the package that its server is made with.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { registerLoader } from '../../typescript/loader.ts'

export async function warmUp(path: string): Promise<void> {
  await registerLoader(path)
  const { resolve } = createRequire(path)
  try {
    for (const name of ['mcpwire', 'mcpwire/node']) await import(pathToFileURL(resolve(name)).href)
  } catch {
    // The program may use a part of it, or find it elsewhere.
  }
}
