// A field whose values the server completes.
import { useEffect, useId, useState } from 'preact/hooks'
import { request } from '../state/api.ts'
import { connection } from '../state/store.ts'
import { clean, cleanLine } from './text.ts'

const ASK_AFTER_MS = 150

export interface CompletedInputProps {
  readonly name: string
  readonly label: string
  readonly description?: string | undefined
  readonly isRequired: boolean
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
  readonly reference: Record<string, unknown>
  /** The other arguments. */
  readonly context: Record<string, string>
}

export function CompletedInput(props: CompletedInputProps) {
  const { name, label, description, isRequired, value, onChange, reference, context } = props
  const id = useId().replace(/\W/g, '')
  const [values, setValues] = useState<readonly string[]>([])
  const [hasFocus, setFocus] = useState(false)
  const completes = connection.value?.serverCapabilities?.['completions'] !== undefined
  useEffect(() => {
    const current = connection.value
    if (!completes || !hasFocus || current === undefined) return
    let isOver = false
    const timer = setTimeout(() => {
      const argument = { name, value: value ?? '' }
      request('complete', { connection: current.id, ref: reference, argument, context })
        .then((answer) => isOver || setValues(answer.values))
        .catch(() => isOver || setValues([]))
    }, ASK_AFTER_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [value, hasFocus])
  return (
    <div class="field">
      <div class="field-head">
        <label class="label" for={id}>
          {cleanLine(label)}
          {isRequired ? (
            <span class="required">
              <span aria-hidden="true">*</span>
              <span class="visually-hidden"> required</span>
            </span>
          ) : null}
        </label>
        {value === undefined && !isRequired ? <span class="mark">not sent</span> : null}
      </div>
      <input
        id={id}
        class="input"
        autocomplete="off"
        list={`${id}-values`}
        aria-describedby={description === undefined ? undefined : `${id}-help`}
        aria-required={isRequired}
        value={value ?? ''}
        onFocus={() => setFocus(true)}
        onBlur={() => setFocus(false)}
        onInput={(event) =>
          onChange(event.currentTarget.value === '' && !isRequired ? undefined : event.currentTarget.value)
        }
      />
      <datalist id={`${id}-values`}>
        {values.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      {description === undefined ? null : (
        <p id={`${id}-help`} class="help">
          {clean(description)}
        </p>
      )}
    </div>
  )
}
