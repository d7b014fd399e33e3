/** The subset of JSON Schema 2020-12 used by the published API reference. */

/** JSON type names. */
export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null'

/** A schema. An object with `properties` but without `additionalProperties` allows no others (enforced by the tests). */
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
  /** Maximum size of the value in bytes, as JSON without spaces in UTF-8. */
  readonly 'x-max-bytes'?: number
  /** Doctype of the document the text names. */
  readonly 'x-link'?: string
  /**
   * Person a text is about: another person (API tokens need `members:read` for the whole response), the caller, or another
   * person who is omitted for API tokens without that scope.
   */
  readonly 'x-person'?: 'other' | 'caller' | 'left out'
}

/** Documents a parameter of a method that reads its parameters in raw form. */
export interface ParameterNote {
  readonly description: string
  readonly schema: JsonSchema
  readonly reqd?: true
  /** A list or an object: sent as JSON text in a query or form, and optionally in JSON. */
  readonly structured?: true
}
