// A registry on loopback that has the packages of this repository as they are packed, and refers to the usual one for all others.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const shell = process.platform === 'win32'

export interface LocalRegistry {
  readonly url: string
  /** Of the package with this name. */
  tarball(name: string): string
  close(): Promise<void>
}

/** `folders` are those of the packages, from the root of the repository; the tarballs are kept in `place`. */
export async function startLocalRegistry(folders: readonly string[], place: string): Promise<LocalRegistry> {
  const packed = new Map<string, { manifest: Record<string, unknown>; file: string; bytes: Buffer }>()
  for (const folder of folders) {
    const cwd = join(root, folder)
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', place]
    const { stdout } = await run('npm', args, { cwd, shell, maxBuffer: 64 * 1024 * 1024 })
    const [entry] = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>)
    const file = join(place, entry?.filename ?? '')
    const manifest = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')) as Record<string, unknown>
    packed.set(String(manifest['name']), { manifest, file, bytes: readFileSync(file) })
  }
  const { stdout } = await run('npm', ['config', 'get', 'registry'], { cwd: root, shell })
  const usual = stdout.trim()
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const [, name = '', isTarball] = /^\/([\w-]+)(\.tgz)?$/.exec(path) ?? []
    const found = packed.get(name)
    if (found === undefined) {
      response
        .writeHead(302, { location: new URL(path.slice(1), usual.endsWith('/') ? usual : `${usual}/`).href })
        .end()
    } else if (isTarball !== undefined) {
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(found.bytes)
    } else {
      const { manifest, bytes } = found
      const version = String(manifest['version'])
      const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
      const dist = { tarball: `${url}/${name}.tgz`, integrity }
      const body = { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    tarball: (name) => packed.get(name)?.file ?? '',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
