// Asks which permissions a view gets. Nothing is allowed before.
import { useState } from 'preact/hooks'
import type { ViewPermission } from '../../protocol/state.ts'
import { cleanLine } from './text.ts'

const PERMISSIONS: Readonly<Record<ViewPermission, string>> = {
  camera: 'use the camera',
  microphone: 'use the microphone',
  geolocation: 'know where you are',
  clipboardWrite: 'write to the clipboard',
}

export function AskForPermissions(props: {
  tool: string
  asked: readonly ViewPermission[]
  onAnswer: (allowed: readonly ViewPermission[]) => void
  onCancel: () => void
}) {
  const { tool, asked, onAnswer, onCancel } = props
  const [allowed, setAllowed] = useState<readonly ViewPermission[]>([])
  return (
    <section class="card warn" aria-label="Permissions of the view" data-state="asks">
      <h2>Allow the view of {cleanLine(tool)} to:</h2>
      <ul class="plain-list">
        {asked.map((one) => (
          <li key={one}>
            <label class="radio">
              <input
                type="checkbox"
                checked={allowed.includes(one)}
                onChange={() =>
                  setAllowed(allowed.includes(one) ? allowed.filter((other) => other !== one) : [...allowed, one])
                }
              />
              {PERMISSIONS[one]}
            </label>
          </li>
        ))}
      </ul>
      <p class="help">The view is a page of the server. What you allow ends when the view is closed.</p>
      <p class="actions">
        <button type="button" class="button primary" onClick={() => onAnswer(allowed)}>
          {allowed.length === 0 ? 'Show it without' : 'Allow and show'}
        </button>
        <button type="button" class="button" onClick={onCancel}>
          Do not show it
        </button>
      </p>
    </section>
  )
}
