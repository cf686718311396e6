// Runs before the page is painted: applies the theme that the reader has chosen, so that no other one flashes up.

try {
  const theme = localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // A browser that keeps nothing follows the system.
}
