// A part of a form that is written as JSON.
import { useEffect, useState } from 'preact/hooks'
import type { FieldProps } from './context.ts'
import { FieldFrame, useControl } from './frame.tsx'
import { parseJson } from './parse-json.ts'

export function JsonField({ field, rows = 3 }: { field: FieldProps; rows?: number }) {
  const control = useControl(field)
  const { value, onChange } = field
  const [text, setText] = useState(() => write(value))
  const [error, setError] = useState<string>()
  useEffect(() => {
    // Somebody else has changed the value: a default, another call, the form.
    const parsed = text.trim() === '' ? { value: undefined } : parseJson(text)
    if ('value' in parsed && JSON.stringify(parsed.value) === JSON.stringify(value)) return
    if (error === undefined) setText(write(value))
  }, [value])
  const change = (typed: string) => {
    setText(typed)
    if (typed.trim() === '') {
      setError(undefined)
      onChange(undefined)
      return
    }
    const parsed = parseJson(typed)
    setError('error' in parsed ? parsed.error : undefined)
    if ('value' in parsed) onChange(parsed.value)
  }
  return (
    <FieldFrame field={field}>
      <textarea
        {...control}
        class="input mono"
        rows={rows}
        spellcheck={false}
        placeholder="JSON"
        value={text}
        aria-invalid={error !== undefined || control['aria-invalid']}
        onInput={(event) => change(event.currentTarget.value)}
      />
      {error === undefined ? null : (
        <p class="issue" role="status">
          {error}
        </p>
      )}
    </FieldFrame>
  )
}

function write(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2)
}
