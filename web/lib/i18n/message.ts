/** Returns a text in the user's language. Its key is the English text, an ICU message. */
export type Translator = (english: string) => string
