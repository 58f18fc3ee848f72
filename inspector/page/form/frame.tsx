// What is around a control: its label, its help, its mark and what is wrong with it.
import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { clean, cleanLine } from '../parts/text.ts'
import { type FieldProps, Form, type FormContext, idOf, issuesAt } from './context.ts'

/** Of the form that the field is in. */
export function useForm(): FormContext {
  const form = useContext(Form)
  if (form === undefined) throw new Error('A field needs a form around it')
  return form
}

/** The attributes that tie a control to its label, its help and its issues. */
export function useControl({ path, schema, isRequired, isRow, label }: FieldProps) {
  const { id: form, issues } = useForm()
  const id = idOf(form, path)
  const isWrong = issuesAt(issues, path).length > 0
  const described = [schema['description'] === undefined ? '' : `${id}-help`, isWrong ? `${id}-issue` : '']
  return {
    id,
    'aria-describedby': described.join(' ').trim() || undefined,
    'aria-invalid': isWrong || undefined,
    'aria-required': isRequired || undefined,
    ...(isRow === true && { 'aria-label': label }),
  }
}

export function FieldFrame({ field, children }: { field: FieldProps; children: ComponentChildren }) {
  const { id: form } = useForm()
  const id = idOf(form, field.path)
  return (
    <div class="field">
      {field.isRow === true ? null : (
        <div class="field-head">
          <label for={id} class="label">
            {cleanLine(field.label)}
            {field.isRequired ? <RequiredMark /> : null}
          </label>
          <FieldMark field={field} />
        </div>
      )}
      {children}
      <FieldNotes field={field} />
    </div>
  )
}

export function RequiredMark() {
  return (
    <span class="required">
      <span aria-hidden="true">*</span>
      <span class="visually-hidden"> required</span>
    </span>
  )
}

/** Says whether the field is sent, and takes it back. */
export function FieldMark({ field }: { field: FieldProps }) {
  const { value, isRequired, onChange, schema, label } = field
  if (value === undefined) return isRequired ? null : <span class="mark">not sent</span>
  const isDefault = schema['default'] !== undefined && JSON.stringify(schema['default']) === JSON.stringify(value)
  return (
    <span class="mark">
      {isDefault ? 'default, sent' : null}
      {isRequired ? null : (
        <button type="button" class="link" onClick={() => onChange(undefined)}>
          Clear<span class="visually-hidden"> {cleanLine(label)}</span>
        </button>
      )}
    </span>
  )
}

export function FieldNotes({ field }: { field: FieldProps }) {
  const { id: form, issues } = useForm()
  const id = idOf(form, field.path)
  const own = issuesAt(issues, field.path)
  const { description } = field.schema
  return (
    <>
      {typeof description === 'string' ? (
        <p id={`${id}-help`} class="help">
          {clean(description)}
        </p>
      ) : null}
      {own.length > 0 ? (
        <p id={`${id}-issue`} class="issue">
          {own.map(({ message }) => clean(message)).join(' ')}
        </p>
      ) : null}
    </>
  )
}
