;;; callwright-eglot.el --- Callwright in eglot  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:
;; To check other texts, too, add their modes to the entry and `eglot-ensure' to their hooks:
;; ((callwright-prompt-mode markdown-mode text-mode) . ("callwright" "server"))

;;; Code:

(require 'callwright-prompt-mode)

(defvar eglot-server-programs)
(declare-function eglot-ensure "eglot")

(put 'callwright-prompt-mode 'eglot-language-id "callwright-prompt")
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(callwright-prompt-mode . ("callwright" "server"))))
(add-hook 'callwright-prompt-mode-hook #'eglot-ensure)

(provide 'callwright-eglot)
;;; callwright-eglot.el ends here
