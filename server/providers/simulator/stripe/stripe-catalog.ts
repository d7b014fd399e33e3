import { priceBody, productBody } from './stripe-bodies.ts'
import {
  changedMetadata,
  changedText,
  choiceOf,
  flagOf,
  found,
  integerOf,
  invalid,
  knowOnly,
  objectOf,
  pageOf,
  requiredText,
  textOf,
  textsOf,
  type Call,
} from './stripe-call.ts'
import { emit, nextId, timeOf, type Price, type Product, type StripeState } from './stripe-state.ts'
import type { Json } from './stripe-webhooks.ts'

const tell = (state: StripeState, type: string, body: Json) => emit(state, state.account, type, body)

export function createProduct(call: Call): Json {
  const { state, params } = call
  knowOnly(call, ['id', 'name', 'description', 'active', 'metadata'])
  const id = textOf(params, 'id') ?? nextId(state, 'prod')
  if (state.products.has(id)) throw invalid('Product already exists.', { code: 'resource_already_exists', param: 'id' })
  const product: Product = {
    id,
    created: timeOf(state, state.account),
    metadata: changedMetadata(params, {}),
    name: requiredText(params, 'name'),
    description: changedText(params, 'description', null),
    active: flagOf(params, 'active') ?? true,
  }
  state.products.set(id, product)
  tell(state, 'product.created', productBody(product))
  return productBody(product)
}

export const retrieveProduct = ({ state, ids: [id] }: Call): Json => productBody(found(state.products, 'product', id))

export function updateProduct(call: Call): Json {
  const { state, params, ids } = call
  knowOnly(call, ['name', 'description', 'active', 'metadata'])
  const product = found(state.products, 'product', ids[0])
  product.name = changedText(params, 'name', product.name) ?? product.name
  product.description = changedText(params, 'description', product.description)
  product.active = flagOf(params, 'active') ?? product.active
  product.metadata = changedMetadata(params, product.metadata)
  tell(state, 'product.updated', productBody(product))
  return productBody(product)
}

export function listProducts(call: Call): Json {
  const active = flagOf(call.params, 'active')
  const ids = textsOf(call.params, 'ids')
  const products = [...call.state.products.values()].filter(
    (one) => (active === undefined || one.active === active) && (ids.length === 0 || ids.includes(one.id)),
  )
  return pageOf(call, { url: '/v1/products', filters: ['active', 'ids'] }, products, productBody)
}

export function createPrice(call: Call): Json {
  const { state, params } = call
  const known = ['currency', 'unit_amount', 'product', 'product_data', 'recurring', 'lookup_key', 'transfer_lookup_key']
  knowOnly(call, [...known, 'nickname', 'metadata', 'active'])
  const currency = requiredText(params, 'currency').toLowerCase()
  if (!/^[a-z]{3}$/.test(currency)) throw invalid(`Invalid currency: ${currency}`, { param: 'currency' })
  const amount = integerOf(params, 'unit_amount')
  if (amount === undefined)
    throw invalid('Missing required param: unit_amount.', { code: 'parameter_missing', param: 'unit_amount' })
  if (amount < 0) throw invalid('Invalid non-negative integer', { param: 'unit_amount' })
  const recurring = objectOf(params, 'recurring')
  const interval = choiceOf(recurring, 'interval', ['day', 'week', 'month', 'year'])
  if (!interval)
    throw invalid('This simulator has recurring prices.', { code: 'parameter_missing', param: 'recurring' })
  const product =
    params['product_data'] === undefined
      ? found(state.products, 'product', requiredText(params, 'product'), 'product')
      : found(
          state.products,
          'product',
          String(createProduct({ ...call, params: objectOf(params, 'product_data') })['id']),
        )
  const price: Price = {
    id: nextId(state, 'price'),
    created: timeOf(state, state.account),
    metadata: changedMetadata(params, {}),
    product,
    currency,
    amount,
    interval,
    intervalCount: integerOf(recurring, 'interval_count') ?? 1,
    lookupKey: null,
    nickname: changedText(params, 'nickname', null),
    active: flagOf(params, 'active') ?? true,
  }
  setLookupKey(call, price)
  state.prices.set(price.id, price)
  tell(state, 'price.created', priceBody(price))
  return priceBody(price)
}

/** A key leads to one price. */
function setLookupKey({ state, params }: Call, price: Price): void {
  const key = changedText(params, 'lookup_key', price.lookupKey)
  const other = [...state.prices.values()].find((one) => key !== null && one.lookupKey === key && one !== price)
  if (other && flagOf(params, 'transfer_lookup_key') !== true)
    throw invalid(`A price (\`${other.id}\`) already uses that lookup key.`, {
      code: 'resource_already_exists',
      param: 'lookup_key',
    })
  if (other) other.lookupKey = null
  price.lookupKey = key
}

export const retrievePrice = ({ state, ids: [id] }: Call): Json => priceBody(found(state.prices, 'price', id))

export function updatePriceFields(call: Call): Json {
  const { state, params, ids } = call
  knowOnly(call, ['active', 'lookup_key', 'transfer_lookup_key', 'nickname', 'metadata'])
  const price = found(state.prices, 'price', ids[0])
  setLookupKey(call, price)
  price.active = flagOf(params, 'active') ?? price.active
  price.nickname = changedText(params, 'nickname', price.nickname)
  price.metadata = changedMetadata(params, price.metadata)
  tell(state, 'price.updated', priceBody(price))
  return priceBody(price)
}

export function listPrices(call: Call): Json {
  const { state, params } = call
  const active = flagOf(params, 'active')
  const keys = textsOf(params, 'lookup_keys')
  const [product, currency] = [textOf(params, 'product'), textOf(params, 'currency')]
  const prices = [...state.prices.values()].filter(
    (one) =>
      (active === undefined || one.active === active) &&
      (keys.length === 0 || keys.includes(one.lookupKey ?? '')) &&
      (product === undefined || one.product.id === product) &&
      (currency === undefined || one.currency === currency),
  )
  return pageOf(
    call,
    { url: '/v1/prices', filters: ['active', 'lookup_keys', 'product', 'currency'] },
    prices,
    priceBody,
  )
}

/** The price of the one item that is sent. */
export function priceOf(state: StripeState, items: readonly Json[], itemId?: string): Price {
  const [item, ...more] = items
  if (!item || more.length > 0) throw invalid('This simulator has subscriptions with one item.', { param: 'items' })
  const unknown = Object.keys(item).find((name) => !['id', 'price', 'quantity'].includes(name))
  if (unknown !== undefined || (textOf(item, 'quantity') ?? '1') !== '1')
    throw invalid(`Received unknown parameter: items[0][${unknown ?? 'quantity'}]`, { code: 'parameter_unknown' })
  if (itemId !== undefined && textOf(item, 'id') !== itemId)
    throw invalid(`No such subscription item: '${textOf(item, 'id')}'`, {
      code: 'resource_missing',
      param: 'items[0][id]',
    })
  const price = found(state.prices, 'price', textOf(item, 'price'), 'items[0][price]')
  if (!price.active)
    throw invalid('The price specified is inactive. This field only accepts active prices.', {
      param: 'items[0][price]',
    })
  return price
}
