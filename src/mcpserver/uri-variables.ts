// The variables of a URI template, as far as the type system can read them off its text.
import type { UriTemplateMatch } from '../primitives/uri-template.ts'

/**
 * What a handler gets for a template that is written down as a literal: lists for exploded variables, else strings. Only a
 * variable that stands alone in its braces, without an operator that may leave it out, is always there.
 */
export type VariablesOf<Template extends string> = string extends Template
  ? UriTemplateMatch
  : Flat<Expressions<Template>>

type Expressions<Text extends string> = Text extends `${string}{${infer Expression}}${infer Rest}`
  ? FromExpression<Expression> & Expressions<Rest>
  : unknown

type FromExpression<Expression extends string> = Expression extends `+${infer List}`
  ? FromList<List>
  : Expression extends `${'#' | '.' | '/' | ';' | '?' | '&'}${infer List}`
    ? Partial<FromList<List>>
    : FromList<Expression>

type FromList<List extends string> = List extends `${infer First},${infer Others}`
  ? FromVariable<First> & Partial<FromList<Others>>
  : FromVariable<List>

type FromVariable<Variable extends string> = Variable extends `${infer Name}*`
  ? { [N in Name]: string[] }
  : Variable extends `${infer Name}:${string}`
    ? { [N in Name]: string }
    : { [N in Variable]: string }

type Flat<T> = { [Name in keyof T]: T[Name] }
