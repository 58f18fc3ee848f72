// Fields with one value: texts, numbers, yes or no, and choices.
import { useState } from 'preact/hooks'
import { cleanLine } from '../parts/text.ts'
import type { FieldProps } from './context.ts'
import { FieldFrame, FieldMark, FieldNotes, RequiredMark, useControl } from './frame.tsx'
import type { Option, Shape } from './schema.ts'

export function TextField({ field, shape }: { field: FieldProps; shape: Extract<Shape, { kind: 'text' }> }) {
  const control = useControl(field)
  const { value, onChange, schema } = field
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
  const isTime = shape.input === 'datetime-local'
  const examples = Array.isArray(schema['examples']) ? schema['examples'] : []
  const placeholder = typeof examples[0] === 'string' ? cleanLine(examples[0]) : undefined
  return (
    <FieldFrame field={field}>
      {shape.isLong || text.includes('\n') ? (
        <textarea
          {...control}
          class="input"
          rows={4}
          value={text}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <input
          {...control}
          class="input"
          type={(text !== '' && isTime ? 'text' : shape.input) as 'text'}
          value={text}
          placeholder={placeholder}
          autocomplete="off"
          onInput={(event) => onChange(isTime ? toTimestamp(event.currentTarget.value) : event.currentTarget.value)}
        />
      )}
    </FieldFrame>
  )
}

/** A control for date and time knows no zone, and the format wants one. */
function toTimestamp(text: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(text) && !Number.isNaN(Date.parse(text))
    ? new Date(text).toISOString()
    : text
}

export function NumberField({ field, isInteger }: { field: FieldProps; isInteger: boolean }) {
  const control = useControl(field)
  const { value, onChange, schema } = field
  const [typed, setTyped] = useState<string>()
  const shown = typed !== undefined && toNumber(typed) === value ? typed : value === undefined ? '' : String(value)
  // The end of what a number can hold says nothing about the field.
  const bound = (name: string) => {
    const value = schema[name]
    return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined
  }
  return (
    <FieldFrame field={field}>
      <input
        {...control}
        class="input number"
        type="text"
        inputMode={isInteger ? 'numeric' : 'decimal'}
        autocomplete="off"
        placeholder={describeBounds(bound('minimum'), bound('maximum'))}
        value={shown}
        onInput={(event) => {
          setTyped(event.currentTarget.value)
          onChange(toNumber(event.currentTarget.value))
        }}
      />
    </FieldFrame>
  )
}

/** What is no number, or one that JavaScript can't hold, stays the text that was typed: the check of the form says so. */
function toNumber(text: string): unknown {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const value = Number(trimmed)
  const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
  return isExact && /^-?(?:\d|\.\d)/.test(trimmed) ? value : text
}

function describeBounds(minimum: number | undefined, maximum: number | undefined): string | undefined {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`
  if (minimum !== undefined) return `at least ${minimum}`
  return maximum === undefined ? undefined : `at most ${maximum}`
}

export function BooleanField({ field }: { field: FieldProps }) {
  const control = useControl(field)
  const { value, onChange, label, isRequired } = field
  if (!isRequired) {
    const options = [
      { value: true, label: 'true' },
      { value: false, label: 'false' },
    ]
    return <SelectField field={field} options={options} />
  }
  return (
    <div class="field">
      <div class="check">
        <input
          {...control}
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {field.isRow === true ? null : (
          <label for={control.id}>
            {cleanLine(label)}
            <RequiredMark />
          </label>
        )}
      </div>
      <FieldNotes field={field} />
    </div>
  )
}

const MAX_RADIOS = 4
const MAX_SELECT = 20

export function ChoiceField({ field, options }: { field: FieldProps; options: readonly Option[] }) {
  if (options.length <= MAX_RADIOS && field.isRow !== true) return <RadioField field={field} options={options} />
  const areTexts = options.every(({ value }) => typeof value === 'string')
  if (options.length > MAX_SELECT && areTexts) return <SuggestField field={field} options={options} />
  return <SelectField field={field} options={options} />
}

function RadioField({ field, options }: { field: FieldProps; options: readonly Option[] }) {
  const { id, 'aria-describedby': describedBy } = useControl(field)
  const chosen = JSON.stringify(field.value)
  return (
    <fieldset class="field plain" aria-describedby={describedBy}>
      <legend class="field-head">
        <span class="label">
          {cleanLine(field.label)}
          {field.isRequired ? <RequiredMark /> : null}
        </span>
      </legend>
      <div class="radios">
        {options.map(({ value, label }, index) => (
          <label key={label} class="radio">
            <input
              type="radio"
              id={index === 0 ? id : `${id}-${index}`}
              name={id}
              checked={JSON.stringify(value) === chosen}
              onChange={() => field.onChange(value)}
            />
            {cleanLine(label)}
          </label>
        ))}
        <FieldMark field={field} />
      </div>
      <FieldNotes field={field} />
    </fieldset>
  )
}

function SelectField({ field, options }: { field: FieldProps; options: readonly Option[] }) {
  const control = useControl(field)
  const at = options.findIndex(({ value }) => JSON.stringify(value) === JSON.stringify(field.value))
  const isOther = at < 0 && field.value !== undefined
  return (
    <FieldFrame field={field}>
      <select
        {...control}
        class="input"
        value={String(at)}
        onChange={(event) => field.onChange(options[Number(event.currentTarget.value)]?.value)}
      >
        <option value="-1">
          {isOther ? cleanLine(JSON.stringify(field.value)) : field.isRequired ? 'Choose…' : 'not sent'}
        </option>
        {options.map(({ label }, index) => (
          <option key={label} value={String(index)}>
            {cleanLine(label)}
          </option>
        ))}
      </select>
    </FieldFrame>
  )
}

function SuggestField({ field, options }: { field: FieldProps; options: readonly Option[] }) {
  const control = useControl(field)
  return (
    <FieldFrame field={field}>
      <input
        {...control}
        class="input"
        list={`${control.id}-options`}
        autocomplete="off"
        value={typeof field.value === 'string' ? field.value : ''}
        onInput={(event) => field.onChange(event.currentTarget.value)}
      />
      <datalist id={`${control.id}-options`}>
        {options.map(({ value, label }) => (
          <option key={label} value={String(value)}>
            {cleanLine(label)}
          </option>
        ))}
      </datalist>
    </FieldFrame>
  )
}

/** A list in which each of a few values may be. */
export function ChoicesField({ field, options }: { field: FieldProps; options: readonly Option[] }) {
  const { id, 'aria-describedby': describedBy } = useControl(field)
  const chosen = Array.isArray(field.value) ? (field.value as unknown[]) : []
  const has = (value: unknown) => chosen.some((one) => JSON.stringify(one) === JSON.stringify(value))
  const toggle = (value: unknown) => {
    if (has(value)) field.onChange(chosen.filter((one) => JSON.stringify(one) !== JSON.stringify(value)))
    else field.onChange([...chosen, value])
  }
  return (
    <fieldset class="field plain" aria-describedby={describedBy}>
      <legend class="field-head">
        <span class="label">
          {cleanLine(field.label)}
          {field.isRequired ? <RequiredMark /> : null}
        </span>
      </legend>
      <div class="radios">
        {options.map(({ value, label }, index) => (
          <label key={label} class="radio">
            <input
              type="checkbox"
              id={index === 0 ? id : `${id}-${index}`}
              checked={has(value)}
              onChange={() => toggle(value)}
            />
            {cleanLine(label)}
          </label>
        ))}
        <FieldMark field={field} />
      </div>
      <FieldNotes field={field} />
    </fieldset>
  )
}
