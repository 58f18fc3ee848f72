// A part of a form that is written as JSON.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { FieldProps } from './context.ts'
import { FieldFrame, useControl, useForm } from './frame.tsx'
import { parseJson } from './parse-json.ts'

export function JsonField({ field, rows = 3 }: { field: FieldProps; rows?: number }) {
  const control = useControl(field)
  const { value, onChange, path } = field
  const { report } = useForm()
  const [text, setText] = useState(() => write(value))
  const [error, setError] = useState<string>()
  const own = useRef(value)
  useEffect(() => {
    if (value === own.current) return
    // Somebody else has changed the value: a default, another call, the form.
    own.current = value
    setText(write(value))
    setError(undefined)
  }, [value])
  useEffect(() => {
    report(path, error)
    return () => report(path, undefined)
  }, [error])
  const change = (typed: string) => {
    setText(typed)
    const parsed = typed.trim() === '' ? { value: undefined } : parseJson(typed)
    setError('error' in parsed ? parsed.error : undefined)
    if (!('value' in parsed)) return
    own.current = parsed.value
    onChange(parsed.value)
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
