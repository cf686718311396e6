// Starts the web app in its page.

import './without-eval.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/frame.css'
import './styles/catalog.css'
import './styles/course.css'
import './styles/pages.css'
import './styles/lab.css'
import './styles/lab-side.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { takeTicketFromAddress } from './lab/lab-tickets.ts'

// Before anything is asked for: a secret in the address must be in no history.
takeTicketFromAddress()

const place = document.getElementById('app')
if (place !== null) render(<App />, place)
