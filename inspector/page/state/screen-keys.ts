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

/** As its button does: the form that has the focus, else that of the screen. What does not fit its schema is shown, not sent. */
export function submitForm(): void {
  const focused = document.activeElement?.closest('form')
  const form = focused ?? document.querySelector<HTMLFormElement>('.work form.schema-form')
  form?.requestSubmit()
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
