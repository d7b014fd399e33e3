/**
 * Side-effect import for test files in the pseudo-language. It must come before all imports of the app, which reads its
 * language once, when its modules are loaded.
 */
localStorage.setItem('language', 'en-XA')
