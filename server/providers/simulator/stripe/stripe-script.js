/*
 * Stands in for the browser script of Stripe, under the part of its interface that Easydash uses: a card field, and the confirmation
 * of cards and payments. Card numbers go to the simulator that this script came from, and nowhere else.
 */
;(() => {
  const origin = new URL(document.currentScript.src).origin

  /** What the vendor's elements look like to those who style them. */
  const fieldCss = { border: '0', outline: '0', background: 'none', font: 'inherit', color: 'inherit', minWidth: '0' }

  function createCard({ style = {} } = {}) {
    const host = document.createElement('div')
    const root = host.attachShadow({ mode: 'open' })
    const row = document.createElement('div')
    Object.assign(row.style, { display: 'flex', gap: '8px', alignItems: 'center' }, style.base)
    root.append(row)
    const listeners = { change: [], ready: [], focus: [], blur: [] }
    const tell = (type, event) => listeners[type].forEach((listener) => listener(event))

    const field = (label, placeholder, width, autocomplete) => {
      const input = document.createElement('input')
      Object.assign(input, { placeholder, inputMode: 'numeric', autocomplete })
      input.setAttribute('aria-label', label)
      Object.assign(input.style, fieldCss, { flex: width })
      input.addEventListener('input', () => tell('change', state()))
      input.addEventListener('focus', () => tell('focus', { elementType: 'card' }))
      input.addEventListener('blur', () => tell('blur', { elementType: 'card' }))
      row.append(input)
      return input
    }
    const number = field('Credit or debit card number', 'Card number', '3 1 11em', 'cc-number')
    const expiry = field('Credit or debit card expiration date', 'MM / YY', '1 1 5em', 'cc-exp')
    const cvc = field('Credit or debit card CVC/CVV', 'CVC', '1 1 3em', 'cc-csc')
    number.addEventListener('input', () => {
      number.value = digits(number)
        .slice(0, 19)
        .replace(/(\d{4})(?=\d)/g, '$1 ')
    })
    expiry.addEventListener('input', () => {
      expiry.value = digits(expiry)
        .slice(0, 4)
        .replace(/^(\d{2})(?=\d)/, '$1 / ')
    })

    const digits = ({ value }) => value.replace(/\D/g, '')
    const values = () => [digits(number), digits(expiry), digits(cvc)]
    const state = () => {
      const [card, until, code] = values()
      const complete = card.length >= 13 && until.length === 4 && code.length >= 3
      return { elementType: 'card', complete, empty: values().join('') === '', error: undefined }
    }
    return {
      details: () => {
        const [card, until, code] = values()
        return { number: card, exp_month: until.slice(0, 2), exp_year: until.slice(2), cvc: code }
      },
      isComplete: () => state().complete,
      mount(target) {
        const place = typeof target === 'string' ? document.querySelector(target) : target
        place.append(host)
        queueMicrotask(() => tell('ready', { elementType: 'card' }))
      },
      on(type, listener) {
        listeners[type]?.push(listener)
        return this
      },
      update: ({ style: { base = {} } = {} }) => void Object.assign(row.style, base),
      focus: () => number.focus(),
      clear: () => [number, expiry, cvc].forEach((input) => (input.value = '')),
      unmount: () => host.remove(),
      destroy: () => host.remove(),
    }
  }

  /** Names of a nested object as forms have them. */
  function* formEntries(value, name = '') {
    if (value === undefined || value === null) return
    if (typeof value !== 'object') yield [name, String(value)]
    else
      for (const [key, part] of Object.entries(value)) yield* formEntries(part, name === '' ? key : `${name}[${key}]`)
  }

  async function ask(path, fields) {
    try {
      const body = new URLSearchParams([...formEntries(fields)])
      return await (await fetch(origin + path, { method: 'POST', body })).json()
    } catch {
      return { error: { type: 'api_connection_error', message: 'We could not reach Stripe.' } }
    }
  }

  /** What a customer's bank asks in a window of its own. */
  function authenticate(intent) {
    const dialog = document.createElement('dialog')
    dialog.setAttribute('aria-label', '3-D Secure')
    Object.assign(dialog.style, {
      margin: 'auto',
      padding: '0',
      border: '0',
      borderRadius: '8px',
      pointerEvents: 'auto',
    })
    const frame = document.createElement('iframe')
    frame.title = '3-D Secure'
    Object.assign(frame.style, { border: '0', width: '320px', height: '180px', display: 'block' })
    frame.src = `${origin}/v3/authenticate?${new URLSearchParams({ intent: intent.id, client_secret: intent.client_secret })}`
    dialog.append(frame)
    document.body.append(dialog)
    dialog.showModal()
    return new Promise((resolve) => {
      const done = (answer) => {
        removeEventListener('message', hear)
        dialog.remove()
        resolve(answer)
      }
      const hear = ({ source, data }) => {
        if (source === frame.contentWindow) done(data)
      }
      addEventListener('message', hear)
      dialog.addEventListener('cancel', () =>
        done({ error: { type: 'invalid_request_error', message: 'The authentication was closed.' } }),
      )
    })
  }

  const idOf = (secret) => String(secret).split('_secret_')[0]

  async function confirm(kind, secret, fields) {
    const given = await ask(`/v1/${kind}s/${idOf(secret)}/confirm`, { ...fields, client_secret: secret })
    const answer = given.status === 'requires_action' ? await authenticate(given) : given
    if (answer.error) return { error: answer.error }
    if (answer.last_setup_error || answer.last_payment_error)
      return { error: answer.last_setup_error ?? answer.last_payment_error }
    return kind === 'setup_intent' ? { setupIntent: answer } : { paymentIntent: answer }
  }

  window.Stripe = (key) => ({
    elements: () => ({ create: (_type, options) => createCard(options), getElement: () => null }),
    confirmCardSetup(secret, { payment_method: { card, billing_details } }) {
      if (!card.isComplete())
        return Promise.resolve({
          error: { type: 'validation_error', code: 'incomplete_number', message: 'Your card number is incomplete.' },
        })
      return confirm('setup_intent', secret, {
        key,
        payment_method_data: { type: 'card', card: card.details(), billing_details },
      })
    },
    confirmCardPayment: (secret, { payment_method } = {}) =>
      confirm('payment_intent', secret, { key, ...(typeof payment_method === 'string' && { payment_method }) }),
  })
})()
