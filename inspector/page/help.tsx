// The table of keys.
import { signal } from '@preact/signals'
import { Dialog } from './parts/dialog.tsx'
import { SCREENS } from './state/route.ts'

export const helpIsOpen = signal(false)
/** Single letters can be turned off: a voice control may take speech for keys (WCAG 2.1.4). */
export const lettersAreOn = signal(true)

const COMMAND = navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl'

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  [`${COMMAND} K`, 'Search for a tool, resource, prompt, screen or action'],
  ['/', 'Filter the list'],
  ['j, k or arrows', 'Next or previous item of a list'],
  ['Enter', 'Open an item; in a form, call from a field of one line'],
  [`${COMMAND} Enter`, 'Call, from anywhere in the form'],
  [`${COMMAND} .`, 'Cancel the running call'],
  ['Esc', 'Close a dialog, then leave the field'],
  ['e', 'Switch between form and JSON'],
  ['y', 'Copy the result'],
  ['Shift y', 'Copy the call as a command'],
  ['r', 'Repeat the last call'],
  ['Shift r', 'Reconnect'],
  ['Space', 'Pause or resume Messages'],
  ['F6', 'Next column'],
  ['?', 'This table'],
]

export function Help() {
  if (!helpIsOpen.value) return null
  const close = () => {
    helpIsOpen.value = false
  }
  return (
    <Dialog label="Keyboard shortcuts" onClose={close}>
      <h2>Keyboard shortcuts</h2>
      <table class="table">
        <tbody>
          {KEYS.map(([keys, does]) => (
            <tr key={keys}>
              <th scope="row">
                <kbd>{keys}</kbd>
              </th>
              <td>{does}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">
              <kbd>g</kbd>, then
            </th>
            <td>
              {SCREENS.map(([name, label, key]) => (
                <span key={name} class="key-pair">
                  <kbd>{key}</kbd> {label}
                </span>
              ))}
            </td>
          </tr>
        </tbody>
      </table>
      <label class="radio">
        <input
          type="checkbox"
          checked={lettersAreOn.value}
          onChange={(event) => (lettersAreOn.value = event.currentTarget.checked)}
        />
        Shortcuts of a single letter
      </label>
      <p class="actions">
        <button type="button" class="button" onClick={close}>
          Close
        </button>
      </p>
    </Dialog>
  )
}
