/** JSON Schema 2020-12, as far as the published reference uses it. */

/** Names of JSON's types. */
export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null'

/** A schema. An object with `properties` and without `additionalProperties` has no others (the tests see to it). */
export interface JsonSchema {
  readonly type?: JsonType | readonly JsonType[]
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly not?: JsonSchema
  readonly contains?: JsonSchema
  readonly oneOf?: readonly JsonSchema[]
  readonly discriminator?: { readonly propertyName: string; readonly mapping?: Readonly<Record<string, string>> }
  readonly $ref?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly contentMediaType?: string
  readonly readOnly?: boolean
  readonly writeOnly?: boolean
  /** Most bytes of the value as JSON without spaces, in UTF-8. */
  readonly 'x-max-bytes'?: number
  /** Doctype whose document the text names. */
  readonly 'x-link'?: string
  /**
   * Whom a text is about: somebody else (API tokens need `members:read` for the whole answer), the caller, or somebody
   * else who is left out for API tokens without that scope.
   */
  readonly 'x-person'?: 'other' | 'caller' | 'left out'
}

/** A parameter of a method that reads its parameters in their raw forms. */
export interface ParameterNote {
  readonly description: string
  readonly schema: JsonSchema
  readonly reqd?: true
  /** A list or an object: in a query, a form, and where one likes in JSON, it is JSON text. */
  readonly structured?: true
}
