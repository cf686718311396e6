import { Health } from '../../contract/health.ts'
import type { Routes } from '../app.ts'

export const routes: Routes = (app, { health }) => {
  app.get('/health', { config: { public: true }, schema: { response: { 200: Health } } }, () => health())
}
