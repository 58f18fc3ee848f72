// The field of any schema.
import type { FieldProps } from './context.ts'
import { FieldFrame, useForm } from './frame.tsx'
import { ArrayField, ObjectField, VariantField } from './group-fields.tsx'
import { JsonField } from './json-field.tsx'
import { BooleanField, ChoiceField, ChoicesField, NumberField, TextField } from './scalar-fields.tsx'
import { resolve, shapeOf } from './schema.ts'

export function Field(given: FieldProps) {
  const { root } = useForm()
  const field = { ...given, schema: resolve(given.schema, root) }
  const shape = shapeOf(field.schema, root, field.path.length)
  // A value that the control of its schema can't show is not lost: it is edited as JSON.
  if (!canShow(shape.kind, field.value)) return <JsonField field={field} />
  switch (shape.kind) {
    case 'text':
      return <TextField field={field} shape={shape} />
    case 'number':
      return <NumberField field={field} isInteger={shape.isInteger} />
    case 'boolean':
      return <BooleanField field={field} />
    case 'choice':
      return <ChoiceField field={field} options={shape.options} />
    case 'choices':
      return <ChoicesField field={field} options={shape.options} />
    case 'object':
      return <ObjectField field={field} shape={shape} />
    case 'array':
      return <ArrayField field={field} shape={shape} />
    case 'variants':
      return <VariantField field={field} variants={shape.variants} />
    case 'null':
      return <FieldFrame field={field}>no value</FieldFrame>
    default:
      return <JsonField field={field} />
  }
}

function canShow(kind: string, value: unknown): boolean {
  if (value === undefined) return true
  if (kind === 'text') return typeof value === 'string'
  if (kind === 'number') return typeof value === 'number' || typeof value === 'string'
  if (kind === 'boolean') return typeof value === 'boolean'
  if (kind === 'array' || kind === 'choices') return Array.isArray(value)
  if (kind === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return true
}
