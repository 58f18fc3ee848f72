// Files that were read and verified, kept in memory by URI and digest. The least recently used go first.

/** Two skills of the largest size. */
const MAX_BYTES = 32 * 1024 * 1024

export interface VerifiedFile {
  readonly bytes: Uint8Array
  readonly mimeType?: string
}

export class FileCache {
  readonly #files = new Map<string, VerifiedFile>()
  #bytes = 0

  find(uri: string, digest: string): VerifiedFile | undefined {
    const key = keyOf(uri, digest)
    const file = this.#files.get(key)
    if (file === undefined) return undefined
    this.#files.delete(key)
    this.#files.set(key, file)
    return file
  }

  add(uri: string, digest: string, file: VerifiedFile): void {
    const key = keyOf(uri, digest)
    this.#remove(key)
    this.#files.set(key, file)
    this.#bytes += file.bytes.byteLength
    for (const oldest of this.#files.keys()) {
      if (this.#bytes <= MAX_BYTES) return
      this.#remove(oldest)
    }
  }

  clear(): void {
    this.#files.clear()
    this.#bytes = 0
  }

  #remove(key: string): void {
    this.#bytes -= this.#files.get(key)?.bytes.byteLength ?? 0
    this.#files.delete(key)
  }
}

/** A digest has a fixed length, so that the two can't be confused. */
function keyOf(uri: string, digest: string): string {
  return `${digest} ${uri}`
}
