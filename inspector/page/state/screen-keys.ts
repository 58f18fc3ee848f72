// What the screen in sight does for keys of the keyboard map.
import { useEffect } from 'preact/hooks'

/** A screen sets what it can do, and takes it back when it goes. */
export interface ScreenKeys {
  call?: () => void
  cancel?: () => void
  switchView?: () => void
  copyResult?: () => void
  copyCommand?: () => unknown
  repeat?: () => void
  pause?: () => void
}

let current: ScreenKeys = {}

export function screenKeys(): ScreenKeys {
  return current
}

export function useScreenKeys(keys: ScreenKeys): void {
  useEffect(() => {
    current = keys
    return () => {
      if (current === keys) current = {}
    }
  })
}
