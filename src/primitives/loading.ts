// Parts of this package that are being loaded. Loading takes real time, so a clock that a test moves has to wait for it.

let loadingCount = 0

export function isLoading(): boolean {
  return loadingCount > 0
}

/** Counts a part until it is there: `await loading(import('./part.ts'))`. */
export async function loading<Part>(part: Promise<Part>): Promise<Part> {
  loadingCount += 1
  try {
    return await part
  } finally {
    loadingCount -= 1
  }
}
